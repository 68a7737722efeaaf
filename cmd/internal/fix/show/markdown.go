package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/fix"
	proven "github.com/coppice-go/coppice/cmd/internal/prove/show"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
)

// Markdown prints a result as Markdown, for a pull request.
func Markdown(w io.Writer, r *fix.Result) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# %s\n\n", markdown.Text(r.Target.Package+" "+r.Target.Name))
	if len(r.Steps) == 0 {
		fmt.Fprintf(out, "Nothing to fix. %s: %s.\n", r.Answer, markdown.Text(r.Reason))
	} else {
		out.WriteString("| step | estimated | CPU/op | allocs/op | B/op | peak RSS | |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
		for _, s := range r.Steps {
			row(out, s)
		}
		out.WriteString("\n")
	}
	for _, s := range r.Steps {
		switch {
		case s.Number > 0:
			section(out, s)
		case s.State == fix.Begun:
			fmt.Fprintf(out, "## %s\n\nA draft to continue from.\n", markdown.Text(s.Title))
			items(out, "To do", s.Todo)
			diff(out, s)
		}
	}
	if len(r.Kept()) > 1 && r.Total != nil {
		out.WriteString("## In all\n\n")
		if err := proven.Markdown(out, r.Total); err != nil {
			return err
		}
	}
	for _, line := range r.Warnings {
		fmt.Fprintf(out, "Warning: %s.\n", markdown.Text(line))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// row writes the row of a step in the table.
func row(out *strings.Builder, s *fix.Step) {
	name, what := s.Title, "left: "+s.Why
	if s.State == fix.Begun {
		what = "begun: files to continue from"
	}
	if s.Number > 0 {
		name, what = fmt.Sprintf("%d %s", s.Number, s.Title), verdict(s)
	}
	fmt.Fprintf(out, "| %s | %.1f %% |", markdown.Text(name), 100*s.Estimate())
	for _, metric := range []string{"cpu", "allocs", "bytes", "rss"} {
		fmt.Fprintf(out, " %s |", cell(s, metric))
	}
	fmt.Fprintf(out, " %s |\n", markdown.Text(what))
}

// cell returns the value of a metric for the table, or "" if the step has no such metric.
func cell(s *fix.Step, metric string) string {
	if s.Proof == nil || len(s.Proof.Comparisons) == 0 || len(s.Proof.Comparisons[0].Subjects) == 0 {
		return ""
	}
	for _, m := range s.Proof.Comparisons[0].Subjects[0].Metrics {
		if m.Name != metric || m.Ratio <= 0 {
			continue
		}
		_, text, _ := strings.Cut(figure(m), " ")
		if metric == "rss" { // "peak RSS" has a blank
			_, text, _ = strings.Cut(text, " ")
		}
		return text
	}
	return ""
}

// section writes the details of a step.
func section(out *strings.Builder, s *fix.Step) {
	fmt.Fprintf(out, "## %d. %s\n\n", s.Number, markdown.Text(s.Title))
	for _, line := range s.About {
		out.WriteString(markdown.Text(line) + "\n")
	}
	items(out, "Changed", s.Done)
	items(out, "Left as it is", s.Stay)
	items(out, "Price", prices(s))
	items(out, "To undo it", s.Undo)
	if s.Proof == nil {
		fmt.Fprintf(out, "\n%s: %s\n\n", verdict(s), markdown.Text(s.Why))
		return
	}
	if s.Heap != nil {
		fmt.Fprintf(out, "\nProof %s\n\n", withoutArena)
		_ = proven.Markdown(out, s.Heap) // writing to a strings.Builder never fails
		fmt.Fprintf(out, "\nProof %s\n", withArena)
	}
	out.WriteString("\n")
	_ = proven.Markdown(out, s.Proof)
	diff(out, s)
}

// diff writes a patch in a collapsed section.
func diff(out *strings.Builder, s *fix.Step) {
	fmt.Fprintf(out, "\n<details><summary>%s</summary>\n\n```diff\n%s```\n\n</details>\n\n", s.Patch, s.Diff)
}

func items(out *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", title)
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", markdown.Text(line))
	}
}
