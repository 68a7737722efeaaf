package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes the report for readers of the repository, in the order of the HTML page: the
// verdict, the plot, the claims and the main tables. Everything else is collapsed.
func Markdown(w io.Writer, r Report) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# %s\n\n%s\n\n%s\n", r.Experiment.Name, r.Experiment.Title, r.Verdict)
	if on := measuredOn(r); on != "" {
		fmt.Fprintf(out, "\n%s\n", on)
	}
	if r.Aged != "" {
		fmt.Fprintf(out, "\n%s\n", r.Aged)
	}
	if p, caption, ok := r.lead(); ok {
		fmt.Fprintf(out, "\n![%s](ranking.svg)\n\n%s\n", p.Name, caption)
	}
	if len(r.Claims) > 0 {
		fmt.Fprintf(out, "\n## What the write-ups said\n\nMeasured by `%s`.\n\n%s\n\n", r.Command, r.claimsNote())
		r.claimsTable().Markdown(out)
	}
	main := r.Main()
	for _, i := range main {
		r.markdownTable(out, r.Rankings[i])
	}
	if r.Summary != nil {
		fold(out, r.Summary.Title+": the published table, and today's figures", func() {
			fmt.Fprintf(out, "Measured by `%s`. Medians; %% better is 1 - new/old, round by round, ~ where no difference is proven.\n\n", r.Command)
			r.summaryTable().Markdown(out)
		})
	}
	for i, k := range r.Rankings {
		if slices.Contains(main, i) {
			continue
		}
		fold(out, "In "+k.Heading(), func() { r.markdownTable(out, k) })
	}
	if len(r.Rankings) > 0 {
		fold(out, "How "+r.MetricName()+" is spread", func() {
			fmt.Fprintf(out, "By `%s`.\n", r.Command)
			for _, k := range r.Rankings {
				fmt.Fprintf(out, "\nIn %s:\n\n", k.Heading())
				r.spreadTable(k).Markdown(out)
			}
		})
	}
	r.markdownNotes(out)
	_, err := io.WriteString(w, out.String())
	return err
}

// markdownTable writes the table of a ranking, with the explanations that it needs.
func (r Report) markdownTable(out io.Writer, k Ranking) {
	fmt.Fprintf(out, "\n## In %s\n\nBy `%s`. Medians; the interval is of confidence %s, and is written as its distances from the median. Comparisons are of %s, paired by round.\n\n",
		k.Heading(), r.Command, k.level(r.Metric), r.InWords(r.Metric))
	r.table(k).Markdown(out)
	if note := k.Ties(); note != "" {
		fmt.Fprintf(out, "\n%s.\n", note)
	}
}

// markdownNotes writes the limitations of the results, and the machine on which they were measured.
func (r Report) markdownNotes(out io.Writer) {
	if len(r.Failures) > 0 {
		fold(out, "Not ranked", func() {
			for _, f := range r.Failures {
				fmt.Fprintf(out, "- %s: %s: %s\n", Name(f), f.Status, f.Reason)
			}
		})
	}
	if len(r.Warnings) > 0 {
		fold(out, "Doubts", func() {
			for _, warning := range r.Warnings {
				fmt.Fprintf(out, "- %s\n", warning)
			}
		})
	}
	if notes := unfair(r); len(notes) > 0 {
		fold(out, "What is unfair", func() {
			for _, c := range notes {
				fmt.Fprintf(out, "- %s: %s\n", c.Name, c.Unfair)
			}
		})
	}
	if len(r.Sessions) > 0 {
		fold(out, "Machine and command", func() { fmt.Fprintf(out, "Made by `%s`.\n\n%s\n", r.Command, machineOf(r)) })
	}
}

// fold writes a section that is collapsed until the reader opens it.
func fold(out io.Writer, summary string, inside func()) {
	fmt.Fprintf(out, "\n<details><summary>%s</summary>\n\n", strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(summary))
	inside()
	fmt.Fprint(out, "\n</details>\n")
}
