package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// PublishedText returns the published figure with its unit.
func (c Claim) PublishedText() string {
	text := c.text(c.Published)
	switch c.Bound {
	case experiment.Above:
		text = "> " + text
	case experiment.Below:
		text = "< " + text
	}
	return text
}

// MeasuredText returns today's figure with its unit and confidence interval.
func (c Claim) MeasuredText() string {
	switch {
	case c.N == 0:
		return ""
	case c.Over != "" && !c.bounded():
		return "~"
	}
	text := c.text(c.Measured)
	if c.Statistic == "" {
		text += " " + Interval(c.Measured, c.Lo, c.Hi)
	} else {
		text += fmt.Sprintf(", %s of %d", c.Statistic, c.N)
	}
	if c.Workers > 0 {
		text += fmt.Sprintf(", workers %d", c.Workers)
	}
	if c.several {
		text += fmt.Sprintf(", depth %d", c.Depth)
	}
	return text
}

func (c Claim) text(v float64) string {
	switch c.Unit {
	case "x":
		return strconv.FormatFloat(significant(v), 'f', -1, 64) + " x"
	case "%":
		return strconv.FormatFloat(significant(100*v), 'f', -1, 64) + " %"
	}
	return Figure(c.Metric, v)
}

// Why explains how the figure differs from the published one. It mentions a different depth, and
// gives the declared reason if a difference is proven. For a difference that is not proven it gives
// no reason, because the next session may find the opposite.
func (c Claim) Why() string {
	var all []string
	if c.Depth != 0 && c.Claim.Depth != 0 && c.Depth != c.Claim.Depth && c.N > 0 {
		all = append(all, "measured at depth "+strconv.Itoa(c.Depth)+", published at "+strconv.Itoa(c.Claim.Depth)+".")
	}
	if c.N > 0 && c.differs() && c.WhyNot != "" {
		all = append(all, c.WhyNot)
	}
	return strings.Join(all, " ")
}

// claimsNote states how many rows are judged, and that the intervals are not adjusted for this
// number.
func (r Report) claimsNote() string {
	judged := 0
	for _, c := range r.Claims {
		if c.NotRun == "" && c.WhyNotMeasured == "" && !c.OfAMachine() {
			judged++
		}
	}
	const by = "by its own interval of at least 95 %"
	switch judged {
	case 0:
		return "No row is judged."
	case 1:
		return "One of " + rowCount(len(r.Claims)) + " is judged, " + by + "."
	}
	return fmt.Sprintf("%d of %s are judged, each %s. Nothing is adjusted for the number of rows: by chance one interval in twenty misses the true figure.",
		judged, rowCount(len(r.Claims)), by)
}

func rowCount(n int) string {
	if n == 1 {
		return "one row"
	}
	return strconv.Itoa(n) + " rows"
}

// claimsTable returns the table of the published figures and the measured ones.
func (r Report) claimsTable() Sheet {
	ours := slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Ours != "" })
	t := Sheet{ID: "claims", Caption: "Published figures, and what holds here", Columns: []Head{
		{Name: "claim"}, {Name: "what", Long: true}, {Name: "published", Figure: true}, {Name: "here", Figure: true},
	}}
	if ours {
		t.Columns = append(t.Columns, Head{Name: "ours here", Figure: true})
	}
	t.Columns = append(t.Columns, Head{Name: "holds", Long: true}, Head{Name: "why not", Long: true})
	for _, c := range r.Claims {
		texts := []string{c.ID, c.What, c.PublishedText(), c.MeasuredText()}
		if ours {
			texts = append(texts, c.Beside)
		}
		var line Line
		for _, text := range append(texts, c.Holds(), c.Why()) {
			line.Cells = append(line.Cells, Cell{Text: text})
		}
		t.Rows = append(t.Rows, line)
	}
	r.claimsMeasured().mark(&t)
	return t
}

// claimsMeasured returns the provenance of the rows of claimsTable.
func (r Report) claimsMeasured() provenance {
	sets := make([][]string, 0, len(r.Claims))
	for _, c := range r.Claims {
		sets = append(sets, c.sessions)
	}
	return r.provenance(sets)
}

// claims writes the claims as a table or, if the table is too wide, as one paragraph for each
// claim. If the programs of a claim were not run, the claim is only counted, because a long list of
// such claims would hide the others on a screen.
func claims(out *strings.Builder, width int, all []Claim) {
	run := slices.DeleteFunc(slices.Clone(all), func(c Claim) bool { return c.NotRun != "" })
	if len(run) > 0 {
		claimsThatRan(out, width, run)
	}
	if n := len(all) - len(run); n > 0 {
		Wrap(out, width, fmt.Sprintf("not run: the programs of %d more published figures", n))
	}
}

func claimsThatRan(out *strings.Builder, width int, all []Claim) {
	rows := [][]string{{"CLAIM", "WHAT", "PUBLISHED", "HERE", "OURS HERE", "HOLDS"}}
	for _, c := range all {
		rows = append(rows, []string{c.ID, c.What, c.PublishedText(), c.MeasuredText(), c.Beside, c.Holds()})
	}
	if !slices.ContainsFunc(all, func(c Claim) bool { return c.Beside != "" }) {
		for i, row := range rows {
			rows[i] = slices.Delete(row, 4, 5)
		}
	}
	if fits(width, widths(rows)) {
		Grid(out, width, rows)
		return
	}
	for _, c := range all {
		here := ""
		if text := c.MeasuredText(); text != "" {
			here = ", here " + text
		}
		if c.Beside != "" {
			here += ", ours " + c.Beside
		}
		Wrap(out, width, fmt.Sprintf("%s: %s: published %s%s: %s", c.ID, c.What, c.PublishedText(), here, c.Holds()))
	}
}
