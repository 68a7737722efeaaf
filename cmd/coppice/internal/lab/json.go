package lab

import (
	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// reported is the report of one experiment in the output of coppice lab report -json.
type reported struct {
	Experiment string            `json:"experiment"`
	Title      string            `json:"title"`
	Verdict    string            `json:"verdict"` // contains names in backquotes
	Metric     string            `json:"metric"`  // the metric that determines the ranks; lower is better
	Command    string            `json:"command"`
	Rankings   []reportedRanking `json:"rankings"`
	Claims     []reportedClaim   `json:"claims"`
	Failures   []reportedFailure `json:"failures"`
	Warnings   []string          `json:"warnings"`
}

type reportedRanking struct {
	Group   string        `json:"group"` // "" if the experiment has none
	Class   string        `json:"class"`
	Depth   int           `json:"depth"`
	Workers int           `json:"workers"` // 0 means each contender's default
	Rows    []reportedRow `json:"rows"`
}

type reportedRow struct {
	Contender string                    `json:"contender"`
	Language  string                    `json:"language"`
	Rank      int                       `json:"rank"`
	Ratio     *reportedRatio            `json:"ratio"`   // ratio of this contender's metric to the baseline's, over their common rounds; null if there are none
	Figures   map[string]reportedFigure `json:"figures"` // keyed by metric
}

type reportedRatio struct {
	Estimate float64 `json:"estimate"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	Proven   bool    `json:"proven"`
}

type reportedFigure struct {
	Runs   int      `json:"runs"`
	Median float64  `json:"median"`
	Lo     *float64 `json:"lo"` // Lo and Hi are the median's interval; null if infinite
	Hi     *float64 `json:"hi"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
}

type reportedClaim struct {
	ID        string `json:"id"`
	What      string `json:"what"`
	Published string `json:"published"`
	Here      string `json:"here"`
	Holds     string `json:"holds"`
}

type reportedFailure struct {
	Contender string `json:"contender"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
}

// newReported converts a report for output as JSON. The lists of the result are never null.
func newReported(r report.Report) reported {
	out := reported{
		Experiment: r.Experiment.Name, Title: r.Experiment.Title, Verdict: r.Verdict, Metric: r.Metric, Command: r.Command,
		Rankings: []reportedRanking{}, Claims: []reportedClaim{}, Failures: []reportedFailure{}, Warnings: append([]string{}, r.Warnings...),
	}
	for _, k := range r.Rankings {
		one := reportedRanking{k.Group, k.Class, k.Depth, k.Workers, []reportedRow{}}
		for _, row := range k.Rows {
			one.Rows = append(one.Rows, newReportedRow(row))
		}
		out.Rankings = append(out.Rankings, one)
	}
	for _, c := range r.Claims {
		out.Claims = append(out.Claims, reportedClaim{c.ID, c.What, c.PublishedText(), c.MeasuredText(), c.Holds()})
	}
	for _, f := range r.Failures {
		out.Failures = append(out.Failures, reportedFailure{report.Name(f), string(f.Status), f.Reason})
	}
	return out
}

func newReportedRow(row compare.Row) reportedRow {
	out := reportedRow{Contender: row.Contender, Language: row.Language, Rank: row.Rank, Figures: map[string]reportedFigure{}}
	if t := row.ToBaseline; t.N > 0 && t.Bounded() {
		out.Ratio = &reportedRatio{t.Estimate, t.Lo, t.Hi, t.Proven()}
	}
	for metric, s := range row.Metrics {
		if s.N == 0 {
			continue
		}
		out.Figures[metric] = reportedFigure{s.N, s.Median, bound(s.Lo), bound(s.Hi), s.Min, s.Max}
	}
	return out
}

// bound returns a pointer to one end of an interval, or nil if that end is infinite, because JSON
// has no infinite numbers.
func bound(v float64) *float64 {
	if v-v != 0 { // infinite or NaN
		return nil
	}
	return &v
}
