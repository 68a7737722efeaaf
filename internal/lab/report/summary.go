package report

import (
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/internal/lab/experiment"
	"github.com/coppice-go/coppice/internal/lab/record"
	"github.com/coppice-go/coppice/internal/lab/stats"
)

// A Summary is a published table with today's figures beside it, as text.
type Summary struct {
	Title  string
	Header []string
	Rows   [][]string
}

// summarize fills the published table, at the greatest depth that its old way was run
// at, or returns nil if there is nothing to fill it with.
func summarize(s *experiment.Summary, sessions []record.Session) *Summary {
	if s == nil {
		return nil
	}
	depths := depthsOf(sessions, s.Old)
	if len(depths) == 0 {
		return nil
	}
	depth := depths[len(depths)-1]
	medians := map[string]map[string]stats.Summary{}
	for _, row := range stats.Table(sessions, s.Old, "cpu") {
		if _, known := medians[row.Contender]; row.Depth == depth && !known {
			medians[row.Contender] = row.Metrics
		}
	}
	table := &Summary{
		Title:  s.Claim + " at depth " + strconv.Itoa(depth),
		Header: []string{"", "published " + s.Old, "published " + s.New[0], "% better", s.Old},
	}
	for _, name := range s.New {
		table.Header = append(table.Header, name, "% better")
	}
	for _, r := range s.Rows {
		cells := []string{r.What, Figure(r.Metric, r.Old), Figure(r.Metric, r.New), better(r.New / r.Old), ""}
		if m, ok := medians[s.Old][r.Metric]; ok {
			cells[4] = Figure(r.Metric, m.Median)
		}
		for _, name := range s.New {
			cells = append(cells, here(sessions, medians[name], name, s.Old, r.Metric, depth)...)
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// here is what a contender comes to today, and how much better than old that is; "~"
// where no difference is proven.
func here(sessions []record.Session, figures map[string]stats.Summary, name, old, metric string, depth int) []string {
	m, ok := figures[metric]
	if !ok {
		return []string{"", ""}
	}
	ratio := stats.RatioOf(sessions, name, old, metric, depth)
	switch {
	case ratio.N == 0:
		return []string{Figure(metric, m.Median), ""}
	case !ratio.Proven():
		return []string{Figure(metric, m.Median), "~"}
	default:
		return []string{Figure(metric, m.Median), better(ratio.Median)}
	}
}

// better is 1 - new/old in percent, as the write-ups have it.
func better(ratio float64) string {
	text := strconv.FormatFloat(100*(1-ratio), 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + " %"
}
