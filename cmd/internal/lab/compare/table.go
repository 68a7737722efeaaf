// Package compare summarizes the runs of an experiment in rows, with medians, ratios, ranks and
// warnings. It is the fourth stage of the lab's pipeline. docs/decisions/0005 explains why the lab
// compares pairs, and 0018 how.
package compare

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Row summarizes the runs of one contender at one depth and number of workers.
type Row struct {
	Contender, Language, Class string
	Depth, Workers             int
	Env                        map[string]string
	Status                     record.Status
	Reason                     string // why the status is not OK
	Metrics                    map[string]stats.Summary
	ToBaseline                 Ratio // ratio of the ranking metric to the baseline
	Rank                       int   // rank within its ranking, from 1 for the best; 0 for none
	Tied                       bool  // the row is tied with a row above it
	Warnings                   []string
}

// Table summarizes the runs of sessions in rows, in order of appearance. The ratios are relative to
// the baseline, which may differ between contenders.
func Table(sessions []record.Session, baseline func(contender string) string, metric string) []Row {
	g := group(sessions)
	rows := make([]Row, 0, len(g.order))
	for _, key := range g.order {
		runs := g.runs[key]
		first := runs[0]
		row := Row{
			Contender: first.Contender, Language: first.Language, Class: first.Class,
			Depth: first.Depth, Workers: first.Workers, Env: first.Env,
			Status: record.OK, Metrics: map[string]stats.Summary{},
		}
		if f, failed := failure(runs); failed {
			row.Status, row.Reason = f.Status, f.Reason
		}
		if row.Status == record.OK {
			for _, m := range metricsOf(runs) {
				row.Metrics[m] = stats.Summarize(values(runs, m))
			}
			row.ToBaseline = g.ratio(key, g.find(baseline(first.Contender), first.Depth, first.Workers), metric)
			row.Warnings = doubts(row.Metrics[metric])
		}
		rows = append(rows, row)
	}
	return rows
}

// To returns a baseline function for Table that returns the same baseline for every contender.
func To(baseline string) func(contender string) string {
	return func(string) string { return baseline }
}

// failure returns the run because of which a contender is excluded from the ranking. A missing
// dependency or a failed build excludes the contender only as long as no run succeeds.
func failure(runs []record.Run) (failed record.Run, ok bool) {
	for _, r := range runs {
		switch r.Status {
		case record.OK:
			ok = true
		case record.Missing, record.Unbuilt:
			failed = r
		default:
			return r, true
		}
	}
	return failed, !ok && failed.Status != ""
}

type key Which

// find returns the key of a contender with the given depth and number of workers. If there are no
// such runs, it returns the key with 0 workers, for a contender without a parameter for workers.
func (g grouped) find(contender string, depth, workers int) key {
	k := key{contender, depth, workers}
	if _, ok := g.runs[k]; !ok {
		k.Workers = 0
	}
	return k
}

type grouped struct {
	order []key
	runs  map[key][]record.Run // runs of each key, including failures but not warm-up
}

func group(sessions []record.Session) grouped {
	g := grouped{runs: map[key][]record.Run{}}
	for _, s := range sessions {
		for _, r := range s.Runs {
			if !r.Counts() && r.Status == record.OK {
				continue
			}
			k := key{r.Contender, r.Depth, r.Workers}
			if _, seen := g.runs[k]; !seen {
				g.order = append(g.order, k)
			}
			g.runs[k] = append(g.runs[k], r)
		}
	}
	return g
}

func metricsOf(runs []record.Run) (names []string) {
	for _, r := range runs {
		for m := range r.Figures {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	slices.Sort(names)
	return names
}

func values(runs []record.Run, metric string) (all []float64) {
	for _, r := range runs {
		if v, ok := r.Figures[metric]; ok && r.Counts() {
			all = append(all, v)
		}
	}
	return all
}

// Thresholds for warnings.
const (
	fewest     = 6    // fewer runs give an infinite confidence interval of the median
	wideSpread = 0.10 // limit of the interval's larger half-width, relative to the median
)

// doubts returns warnings about the values of the ranking metric of a row.
func doubts(s stats.Summary) (all []string) {
	if s.N < fewest {
		return []string{fmt.Sprintf("only %d runs; an interval at %.0f %% needs %d (-runs %d)", s.N, 100*stats.Confidence, fewest, fewest)}
	}
	if half := max(s.Hi-s.Median, s.Median-s.Lo); half > wideSpread*s.Median {
		all = append(all, fmt.Sprintf("the interval is up to %.0f %% wide on one side; measure anew with more runs (-runs %d)", 100*half/s.Median, 2*s.N))
	}
	if lower, upper, ok := stats.Bimodal(s.Values); ok {
		all = append(all, fmt.Sprintf("the values fall into two groups, around %s and %s: the median depends on how many runs fell into each",
			strconv.FormatFloat(lower, 'g', 3, 64), strconv.FormatFloat(upper, 'g', 3, 64)))
	}
	return all
}
