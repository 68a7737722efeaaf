// Package show prints what a proof found: for a terminal, as Markdown for a pull request, as SARIF,
// and as annotations that GitHub shows in the source.
package show

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// most is the maximum number of list items that are shown.
const most = 6

// Screen prints a result for a terminal with the given number of columns. If columns is 0, the
// output is for a file, and is neither wrapped nor cut.
func Screen(w io.Writer, r *prove.Result, columns int) error {
	out := &termtext.Screen{Columns: columns}
	for i, c := range r.Comparisons {
		if i > 0 {
			out.WriteString("\n")
		}
		out.Say("base  ", r.Base.Name)
		out.Say("head  ", c.Head.Name)
		if c.Verdict == prove.Identical {
			out.Say("IDENTICAL: ", strings.Join(c.Reasons, "; ")+"; nothing was measured")
			continue
		}
		equality(out, c.Equality)
		if len(c.Subjects) > 0 {
			table(out, c)
		}
		out.WriteString("\n")
		out.Say(strings.ToUpper(string(c.Verdict))+": ", strings.Join(c.Reasons, "; "))
	}
	for _, line := range r.Warnings {
		out.Say("warning: ", line)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// equality writes the evidence that the programs are equal.
func equality(out *termtext.Screen, e prove.Equality) {
	switch {
	case len(e.Unequal) > 0:
		list(out, "UNEQUAL", e.Unequal)
	case e.Level == prove.Unproven:
		out.WriteString("not shown to be equal\n")
	default:
		fmt.Fprintf(out, "equal by %s\n", e.Level)
	}
	list(out, "  same", e.Done)
	list(out, "  not compared", e.Left)
	if limit := limits[e.Level]; limit != "" && len(e.Unequal) == 0 {
		out.Say("  not compared: ", limit)
	}
}

// limits describes, for each level of evidence, how programs that passed as equal may still differ.
var limits = map[prove.Level]string{
	prove.Output:  "what the command does not print",
	prove.Tests:   "what no test checks",
	prove.Results: "what no test checks and no benchmark computes",
}

func list(out *termtext.Screen, what string, items []string) {
	for i, item := range items {
		if i == most {
			fmt.Fprintf(out, "%s: %d more\n", what, len(items)-most)
			return
		}
		out.Say(what+": ", item)
	}
}

// table prints the metrics of all benchmarks as a table.
func table(out *termtext.Screen, c prove.Comparison) {
	out.WriteString("\n")
	rows := [][]string{{"", "base", "head", "difference", "interval", "  proof"}}
	for _, s := range c.Subjects {
		rows = append(rows, []string{s.Name, "", "", "", "", "  " + strings.ToUpper(string(s.Verdict)) + reasons(s)})
		for _, m := range s.Metrics {
			rows = append(rows, []string{metric.Named(m.Name).Op, amount(m, m.Before), amount(m, m.After), difference(m), interval(m), "  " + evidence(m, s.Rounds)})
		}
	}
	out.RightTable(rows)
	for _, s := range c.Subjects {
		for _, doubt := range s.Warnings {
			out.Say("doubt: ", s.Name+": "+doubt)
		}
	}
}

func reasons(s prove.Subject) string {
	if len(s.Reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(s.Reasons, ", ")
}

// leastCount is the smallest count per operation that is shown. Smaller counts come from the
// runtime itself.
const leastCount = 0.001

// amount formats a value with its unit.
func amount(m measure.Metric, v float64) string {
	if unit, ok := metric.UnitOf(m.Name); ok {
		return reportedAmount(unit, v)
	}
	if !measure.Timed(m.Name) && !measure.ReportOnly(m.Name) && v < leastCount {
		return "0"
	}
	class, unit := benchunit.Decimal, ""
	switch metric.Named(m.Name).Unit {
	case metric.Seconds:
		unit = "s"
	case metric.Bytes:
		class, unit = benchunit.Binary, "B"
	}
	return figure.Scaled(v, class, unit)
}

// difference formats the difference between head and base in percent.
func difference(m measure.Metric) string {
	switch {
	case m.Before == m.After, m.Exact && m.Outcome == measure.Equal:
		return "0"
	case m.Ratio == 0 && m.Exact && measure.Reported(m.Name) && m.Before > 0 && m.After == 0:
		return "-100.0 %"
	case m.Ratio == 0:
		return ""
	case m.Unproven():
		return fmt.Sprintf("~ %+.1f %%", 100*(m.Ratio-1))
	}
	return fmt.Sprintf("%+.1f %%", 100*(m.Ratio-1))
}

func interval(m measure.Metric) string {
	if m.Hi == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f to %+.1f", 100*(m.Lo-1), 100*(m.Hi-1))
}

// evidence describes the evidence for a difference.
func evidence(m measure.Metric, rounds int) string {
	switch {
	case m.Name == "instructions":
		return "valgrind; corroborates"
	case measure.Reported(m.Name) && m.Better == metric.Unknown:
		return notJudged(m)
	case m.Exact:
		return "exact" + direction(m)
	case measure.ReportOnly(m.Name):
		return "part of CPU; not judged"
	case m.Tested() && m.Ratio == 0:
		return "not above zero in each run; not tested"
	case !m.Tested():
		return "not the same in each run"
	}
	text := fmt.Sprintf("p %.2g, Holm-adjusted %.2g, %d rounds%s%s", m.P, m.Holm, rounds, direction(m), repeatedP(m))
	if m.Outcome == measure.Equal {
		return "no relevant difference, " + text
	}
	if m.Outcome == measure.Open {
		return "not significant, " + text
	}
	return text
}

// repeatedP formats the p value of the rounds that measured a loss again. It returns "" if there
// were none.
func repeatedP(m measure.Metric) string {
	if m.Again == nil || len(m.Again.Base) == 0 {
		return ""
	}
	return fmt.Sprintf(", again p %.2g", m.Again.P)
}
