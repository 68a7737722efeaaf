package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// Markdown prints a result in Markdown, for an issue or a pull request.
func Markdown(w io.Writer, r *find.Result, o Options) error {
	out := &strings.Builder{}
	v := viewOf(r, o)
	fmt.Fprintf(out, "**Does allocation cost anything? %s** %s\n\n", answer(r.Answer), inText(sentence(r.Reason)))
	fmt.Fprintf(out, "%s %s", inText(r.Target.Package), code(r.Target.Name))
	for _, figure := range operation(r) {
		out.WriteString(", " + figure)
	}
	target := cmp.Or(r.Target.Find, r.Target.Next)
	switch {
	case r.Target.Then != "":
		fmt.Fprintf(out, ". Next: %s", markdown.Code(termtext.Plain(r.Target.Then)))
	case target != "":
		fmt.Fprintf(out, ". By %s", markdown.Code("coppice find "+termtext.Plain(target)))
	}
	out.WriteString("\n\n")
	v.markdownFigures(out)
	v.markdownSites(out)
	for _, p := range v.Proposals {
		markdownProposal(out, p)
	}
	if text := v.leftOut(); text != "" {
		fmt.Fprintf(out, "%s.\n\n", text)
	}
	if len(v.If) > 0 {
		fmt.Fprintf(out, "All of them if: %s\n\n", markdown.Text(list(v.If)))
	}
	if v.Next != "" {
		fmt.Fprintf(out, "Then: %s\n\n", markdown.Code(termtext.Plain(v.Next)))
	}
	for _, line := range r.Warnings {
		fmt.Fprintf(out, "Warning: %s\n", inText(sentence(line)))
	}
	if version := r.Environment["go"]; version != "" {
		fmt.Fprintf(out, "\n%s, %s. [How to read this](%s)\n", inText(r.Tool), inText(version), manual)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// manual is the URL of the manual of coppice find.
var manual = sariflog.Page("docs/FIND.md")

func inText(text string) string { return markdown.Text(termtext.Plain(text)) }

// code formats a string as inline code. It returns "" if the string is empty.
func code(text string) string {
	if text = termtext.Plain(text); text == "" {
		return ""
	}
	return markdown.CodeCell(text)
}

// markdownFigures writes the cost of memory work and the effect of settings.
func (v *view) markdownFigures(out *strings.Builder) {
	if v.Classes.Samples > 0 {
		out.WriteString("| part of CPU | |\n| --- | ---: |\n")
		for _, s := range v.shares() {
			fmt.Fprintf(out, "| %s | %s |\n", s.Name, figure.Part(s.Part))
		}
		fmt.Fprintf(out, "| together, of %s | %s |\n\n", counted(v.Classes.Samples, "sample"), figure.Part(v.Classes.Memory()))
	}
	fmt.Fprintf(out, "Ceiling: %s.\n\n", inText(v.ceiling()))
	if len(v.Settings) == 0 {
		return
	}
	out.WriteString("| one line | saves CPU | 95 % interval | peak memory | rounds |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, s := range v.Settings {
		fmt.Fprintf(out, "| %s | %s | %s | %s | %d |\n", code(s.Name), saved(&s.CPU), savedInterval(&s.CPU), grown(s.RSS), s.Rounds)
	}
	out.WriteString("\n")
	for _, s := range v.Settings {
		if s.Price != "" {
			fmt.Fprintf(out, "%s needs %s.\n\n", code(s.Name), inText(s.Price))
		}
	}
}

// markdownSites writes the table of sites.
func (v *view) markdownSites(out *strings.Builder) {
	if len(v.Sites) > 0 {
		out.WriteString("| site | objects | bytes | malloc, of CPU | lifetime | type | do | proposal |\n| --- | ---: | ---: | ---: | --- | --- | --- | ---: |\n")
		for _, s := range v.Sites {
			c := v.row(s)
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", code(c.Name), c.Objects, c.Bytes, c.Malloc, c.Fate, code(c.Type), inText(c.Do), c.Number)
		}
		out.WriteString("\n")
		if v.mixture() {
			out.WriteString("Mixed: parts that are temporary / live as long as the result / are retained, in percent.\n\n")
		}
	}
	if reasons := v.reasons(); len(reasons) > 0 {
		for _, reason := range reasons {
			fmt.Fprintf(out, "- %s\n", markdown.Text(reason))
		}
		out.WriteString("\n")
	}
	if text := v.notShown(); text != "" {
		fmt.Fprintf(out, "%s.\n\n", text)
	}
}

func markdownProposal(out *strings.Builder, p proposal) {
	fmt.Fprintf(out, "**%d: %s**", p.Number, inText(p.Title))
	if p.Page != "" {
		fmt.Fprintf(out, " ([%s](%s))", inText(string(p.Remedy)), p.Page)
	}
	out.WriteString("\n\n")
	item := func(label string, items ...string) {
		if text := list(items); text != "" {
			fmt.Fprintf(out, "- %s: %s\n", label, markdown.Text(text))
		}
	}
	item("Estimate", estimate(p.Estimate))
	item("Fix", describeFix(p.Proposal))
	item("If", p.Estimate.If...)
	item("Why", p.Why...)
	item("Price", p.Prices()...)
	if p.Help != "" {
		fmt.Fprintf(out, "- How: %s\n", markdown.Code(termtext.Plain(p.Help)))
	}
	if p.Next != "" {
		fmt.Fprintf(out, "- Next: %s\n", markdown.Code(termtext.Plain(p.Next)))
	}
	out.WriteString("\n")
}
