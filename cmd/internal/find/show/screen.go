package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// Screen prints a result for a terminal, in at most 100 columns. A command that cannot be broken
// may be wider.
func Screen(w io.Writer, r *find.Result, o Options) error {
	out := &strings.Builder{}
	v := viewOf(r, o)
	v.printTarget(out)
	if out.Len() > 0 {
		fmt.Fprintln(out)
	}
	v.printAnswer(out)
	if r.Answer != find.LeaveAlone || len(r.Settings) > 0 {
		v.printSettings(out)
	}
	v.printSites(out)
	for _, p := range v.Proposals {
		v.printProposal(out, p)
	}
	if text := v.leftOut(); text != "" {
		paragraph(out, "", text+"; -all shows them")
	}
	v.printShared(out)
	for i, line := range r.Warnings {
		if i == 0 {
			fmt.Fprintln(out)
		}
		paragraph(out, "warning: ", termtext.Plain(line))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// printTarget writes the measured program, and the costs of an operation.
func (v *view) printTarget(out *strings.Builder) {
	line := ""
	for _, part := range append([]string{termtext.Plain(v.Target.Package), termtext.Plain(v.Target.Name)}, operation(v.Result)...) {
		if part == "" {
			continue
		}
		if line != "" && uniseg.StringWidth(line)+3+uniseg.StringWidth(part) > width {
			paragraph(out, line, "")
			line = ""
		}
		if line != "" {
			line += "   "
		}
		line += cell(part, tail, min(uniseg.StringWidth(part), width))
	}
	if line != "" {
		fmt.Fprintln(out, line)
	}
}

// printAnswer writes whether allocation costs anything, with the evidence.
func (v *view) printAnswer(out *strings.Builder) {
	paragraph(out, "Does allocation cost anything?  ", answer(v.Answer))
	if v.Reason != "" {
		paragraph(out, "  ", termtext.Plain(sentence(v.Reason)))
	}
	if v.Classes.Samples > 0 {
		var all []string
		for _, s := range v.shares() {
			all = append(all, s.Name+" "+figure.Part(s.Part))
		}
		paragraph(out, "  ", fmt.Sprintf("%s = %s of %s", strings.Join(all, ", "), figure.Part(v.Classes.Memory()), counted(v.Classes.Samples, "sample")))
	} else {
		fmt.Fprintln(out, "  no CPU profile: the cost of malloc is unknown")
	}
	paragraph(out, "  ceiling ", v.ceiling())
}

// printSettings writes the effect of settings of the runtime.
func (v *view) printSettings(out *strings.Builder) {
	const question = "\nWhat would one setting save?"
	if len(v.Settings) == 0 {
		fmt.Fprintln(out, question+"  not measured")
		return
	}
	fmt.Fprintln(out, question)
	rows := make([][]string, 0, len(v.Settings))
	for _, s := range v.Settings {
		rows = append(rows, []string{"  " + termtext.Plain(s.Name), saved(&s.CPU), savedInterval(&s.CPU), grown(s.RSS), figure.Count(float64(s.Rounds))})
	}
	table(out, []column{{"  setting", left, 0, 12}, {"saves CPU", right, 0, 0}, {"95 % interval", right, 0, 0}, {"peak memory", right, 0, 0}, {"rounds", right, 0, 0}}, rows)
	for _, s := range v.Settings {
		if s.Price != "" {
			paragraph(out, "  ", termtext.Plain(s.Name+" needs "+s.Price))
		}
	}
}

// printSites writes the table of sites.
func (v *view) printSites(out *strings.Builder) {
	if len(v.Sites) > 0 {
		rows := make([][]string, 0, len(v.Sites))
		for _, s := range v.Sites {
			c := v.row(s)
			rows = append(rows, []string{c.Number, c.Name, c.Objects, c.Bytes, c.Malloc, c.Fate, c.Type, c.Do})
		}
		columns := []column{
			{"", right, 0, 0},
			{"site", tail, 31, 12},
			{"objects", right, 0, 0},
			{"bytes", right, 0, 0},
			{"malloc", right, 0, 0},
			{"lifetime", left, 16, 8},
			{"type", left, 10, 6},
			{"do", left, 14, 8},
		}
		if len(v.Result.Proposals) == 0 {
			columns[0].title = " " // indents the table like the answers above
		}
		fmt.Fprintln(out)
		table(out, columns, rows)
		if line := v.overhead(); line != "" {
			paragraph(out, "  ", line)
		}
		for _, text := range v.reasons() {
			paragraph(out, "  ", text)
		}
		if v.mixture() {
			fmt.Fprintln(out, "  mixed: parts that are temporary / live as long as the result / are retained, in percent")
		}
	} else if len(v.Result.Sites) == 0 {
		fmt.Fprintln(out, "  no allocation site found")
	}
	if text := v.left(); text != "" {
		fmt.Fprintf(out, "  %s\n", text)
	}
}

// printShared writes the parts that all proposals have in common.
func (v *view) printShared(out *strings.Builder) {
	if len(v.If)+len(v.Next) > 0 {
		fmt.Fprintln(out)
	}
	if len(v.If) > 0 {
		paragraph(out, "all if      ", list(v.If))
	}
	switch {
	case v.Next != "":
		command(out, "then        ", termtext.Plain(v.Next))
	case len(v.Proposals) == 0 && v.Target.Then != "":
		fmt.Fprintln(out)
		command(out, "then        ", termtext.Plain(v.Target.Then))
	}
}

// printProposal writes a change, its estimate and its conditions.
func (v *view) printProposal(out *strings.Builder, p proposal) {
	fmt.Fprintln(out)
	text := func(label, text string) {
		if text != "" {
			paragraph(out, fmt.Sprintf("   %-9s", label), text)
		}
	}
	paragraph(out, fmt.Sprintf("%d: ", p.Number), termtext.Plain(p.Title))
	text("estimate", estimate(p.Estimate))
	text("fix", taken(p.Proposal))
	text("if", list(p.Estimate.If))
	text("why", list(p.Why))
	text("price", list(p.Price))
	text("how", termtext.Plain(p.Help))
	if p.Next != "" {
		command(out, "   next     ", termtext.Plain(p.Next))
	}
}
