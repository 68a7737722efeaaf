package report

import (
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Summary is a published table to which today's figures have been added, as strings.
type Summary struct {
	Title  string
	Header []string
	Rows   [][]string

	sessions []string // sessions from which the figures come
}

// summarize adds today's figures to the published table s, at the largest depth at which the old
// strategy was run. It returns nil if s is nil. If the old strategy was not run, the columns for
// today's figures are empty.
func summarize(s *experiment.Summary, sessions []record.Session) *Summary {
	if s == nil {
		return nil
	}
	title, depth := s.Claim+", not run here", -1
	if depths := depthsOf(sessions, s.Old); len(depths) > 0 {
		depth = depths[len(depths)-1]
		title = s.Claim + " at depth " + strconv.Itoa(depth)
	}
	medians := map[string]map[string]stats.Summary{}
	for _, row := range compare.Table(sessions, compare.To(s.Old), "cpu") {
		if _, known := medians[row.Contender]; row.Depth == depth && !known {
			medians[row.Contender] = row.Metrics
		}
	}
	table := &Summary{
		Title:    title,
		sessions: commonSessions(sessions, func(r record.Run) bool { return r.Depth == depth }, s.Old),
		Header:   []string{"", "published " + s.Old, "published " + s.New[0], "% better", s.Old},
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
			cells = append(cells, todayCells(sessions, medians[name], name, s.Old, r.Metric, depth)...)
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// todayCells returns the cells for a contender: today's figure, and its improvement over the
// contender old. The improvement is "~" if no difference is proven.
func todayCells(sessions []record.Session, figures map[string]stats.Summary, name, old, metric string, depth int) []string {
	m, ok := figures[metric]
	if !ok {
		return []string{"", ""}
	}
	ratio := compare.RatioOf(sessions, name, old, metric, depth)
	switch {
	case ratio.N == 0:
		return []string{Figure(metric, m.Median), ""}
	case !ratio.Proven():
		return []string{Figure(metric, m.Median), "~"}
	default:
		return []string{Figure(metric, m.Median), better(ratio.Estimate)}
	}
}

// better formats 1 - new/old as a percentage, as the write-ups do.
func better(ratio float64) string {
	text := strconv.FormatFloat(100*(1-ratio), 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + " %"
}
