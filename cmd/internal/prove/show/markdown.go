package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
)

// Markdown prints a result as Markdown, for a pull request.
func Markdown(w io.Writer, r *prove.Result) error {
	out := &strings.Builder{}
	for _, c := range r.Comparisons {
		fmt.Fprintf(out, "**%s**: %s\n\n", strings.ToUpper(string(c.Verdict)), markdown.Text(strings.Join(c.Reasons, "; ")))
		fmt.Fprintf(out, "%s against %s. ", markdown.Code(c.Head.Name), markdown.Code(r.Base.Name))
		e := c.Equality
		switch {
		case c.Verdict == prove.Identical:
		case len(e.Unequal) > 0:
			fmt.Fprintf(out, "Unequal: %s.", markdown.Text(strings.Join(e.Unequal, "; ")))
		case e.Level == prove.Unproven:
			out.WriteString("The programs are not shown to be equal.")
		default:
			fmt.Fprintf(out, "Equal by %s: %s.", e.Level, markdown.Text(strings.Join(e.Done, "; ")))
		}
		out.WriteString("\n\n")
		if len(c.Subjects) == 0 {
			continue
		}
		out.WriteString("| | base | head | difference | interval, % | proof |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
		for _, s := range c.Subjects {
			fmt.Fprintf(out, "| **%s** | | | | | **%s**%s |\n", markdown.Text(s.Name), s.Verdict, markdown.Text(reasons(s)))
			for _, m := range s.Metrics {
				fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", markdown.Text(metric.Named(m.Name).Op), amount(m, m.Before), amount(m, m.After), difference(m), interval(m), markdown.Text(evidence(m, s.Rounds)))
			}
		}
		out.WriteString("\n")
		for _, s := range c.Subjects {
			for _, doubt := range s.Warnings {
				fmt.Fprintf(out, "Doubt: %s: %s.\n", markdown.Text(s.Name), markdown.Text(doubt))
			}
		}
	}
	for _, line := range r.Warnings {
		fmt.Fprintf(out, "Warning: %s.\n", markdown.Text(line))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
