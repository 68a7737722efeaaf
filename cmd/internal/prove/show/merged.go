package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// Merged prints the combined result of proofs on several machines, for a terminal with the given
// number of columns. If columns is 0, the output is for a file, and is neither wrapped nor cut.
func Merged(w io.Writer, m *prove.Merged, columns int) error {
	out := &termtext.Screen{Columns: columns}
	out.Say("base  ", m.Base)
	for _, head := range m.Heads {
		out.Say("head  ", head)
	}
	out.Say("", mergedOf(m))
	for _, p := range parts(m) {
		out.WriteString("\n")
		out.Say("", title(p))
		rows := [][]string{{"", "difference", "interval", "a new machine", "  proof"}}
		for _, s := range p.Subjects {
			rows = append(rows, []string{s.Name, "", "", "", "  " + strings.ToUpper(string(s.Verdict)) + ": " + strings.Join(s.Reasons, ", ")})
			for _, of := range s.Metrics {
				rows = append(rows, []string{metric.Named(of.Name).Op, mergedDifference(of), interval(of), predicted(s, of), "  " + mergedEvidence(of)})
			}
		}
		out.RightTable(rows)
	}
	out.WriteString("\n")
	for _, p := range m.Kinds {
		out.Say(strings.ToUpper(string(p.Verdict))+" on "+p.Name+": ", strings.Join(p.Reasons, "; "))
	}
	out.Say(strings.ToUpper(string(m.Verdict))+": ", strings.Join(m.Reasons, "; "))
	for _, note := range m.Notes {
		out.Say("note: ", note)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// MergedMarkdown prints the combined result as Markdown, for a pull request.
func MergedMarkdown(w io.Writer, m *prove.Merged) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "**%s**: %s\n\n", strings.ToUpper(string(m.Verdict)), markdown.Text(strings.Join(m.Reasons, "; ")))
	for _, head := range m.Heads {
		fmt.Fprintf(out, "%s against %s. ", markdown.Code(head), markdown.Code(m.Base))
	}
	fmt.Fprintf(out, "%s.\n\n| | difference | interval, %% | a new machine, %% | proof |\n| --- | ---: | ---: | ---: | --- |\n", mergedOf(m))
	for _, p := range parts(m) {
		fmt.Fprintf(out, "| **%s** | | | | **%s**: %s |\n", markdown.Text(title(p)), p.Verdict, markdown.Text(strings.Join(p.Reasons, "; ")))
		for _, s := range p.Subjects {
			for _, of := range s.Metrics {
				fmt.Fprintf(out, "| %s, %s | %s | %s | %s | %s |\n", markdown.Text(s.Name), markdown.Text(metric.Named(of.Name).Op), mergedDifference(of), interval(of), predicted(s, of), mergedEvidence(of))
			}
		}
	}
	out.WriteString("\n")
	for _, note := range m.Notes {
		fmt.Fprintf(out, "Note: %s.\n", markdown.Text(note))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func mergedOf(m *prove.Merged) string {
	text := "proofs of " + several(m.Machines, "machine") + " of " + several(len(m.Kinds), "kind")
	if m.Go != "" {
		text += ", " + m.Go
	}
	return text
}

// parts returns the combined result of all machines and, if there are several kinds of machines,
// the result for each kind.
func parts(m *prove.Merged) []prove.Part {
	if len(m.Kinds) == 1 {
		return []prove.Part{m.All}
	}
	return append([]prove.Part{m.All}, m.Kinds...)
}

func title(p prove.Part) string {
	return p.Name + ": " + several(p.Machines, "machine")
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mergedDifference formats the difference between head and base in percent.
func mergedDifference(m measure.Metric) string {
	if m.Ratio == 0 && m.Exact && m.Outcome == measure.Equal {
		return "0"
	}
	return difference(measure.Metric{Name: m.Name, Better: m.Better, Exact: m.Exact, Outcome: m.Outcome, Ratio: m.Ratio, Before: 1, After: m.Ratio})
}

// predicted formats the prediction interval for one more machine.
func predicted(s prove.MergedRatios, m measure.Metric) string {
	r, ok := s.New[m.Name]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%+.1f to %+.1f", 100*(r.Lo-1), 100*(r.Hi-1))
}

// mergedEvidence describes the evidence for a difference.
func mergedEvidence(m measure.Metric) string {
	switch {
	case m.Exact:
		return "exact, on each machine" + direction(m)
	case !m.Tested():
		return "not the same on each machine, or in each run"
	}
	text := fmt.Sprintf("Holm-adjusted p %.2g%s%s", m.Holm, direction(m), repeatedP(m))
	switch m.Outcome {
	case measure.Equal:
		return "no relevant difference, " + text
	case measure.Open:
		return "not significant, " + text
	}
	return text
}
