package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// Screen prints a result for a terminal, in at most 100 columns, or for a file, in which no cell is
// cut. A command may be wider if it cannot be broken, and a table may be wider if the terminal has
// less than 60 columns.
func Screen(w io.Writer, r *find.Result, o Options) error {
	out := newScreen(o.Columns)
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
		out.paragraph("", text+"; -all shows them")
	}
	v.printShared(out)
	for i, line := range r.Warnings {
		if i == 0 {
			fmt.Fprintln(out)
		}
		out.paragraph("warning: ", termtext.Plain(line))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// printTarget writes the name of the measured program, and the costs of an operation.
func (v *view) printTarget(out *screen) {
	const between = "   "
	line := ""
	for _, part := range append([]string{termtext.Plain(v.Target.Package), termtext.Plain(v.Target.Name)}, operation(v.Result)...) {
		if part == "" {
			continue
		}
		if line != "" && termtext.Width(line+between+part) > out.width {
			fmt.Fprintln(out, line)
			line = ""
		}
		if line != "" {
			line += between
		}
		parts := out.cell(part, tail, out.width)
		last := len(parts) - 1
		for _, whole := range parts[:last] {
			fmt.Fprintln(out, whole)
		}
		line += parts[last]
	}
	if line != "" {
		fmt.Fprintln(out, line)
	}
}

// printAnswer writes whether allocation costs anything, with the evidence.
func (v *view) printAnswer(out *screen) {
	out.paragraph("Does allocation cost anything?  ", answer(v.Answer))
	if v.Reason != "" {
		out.paragraph("  ", termtext.Plain(sentence(v.Reason)))
	}
	if v.Classes.Samples > 0 {
		var all []string
		for _, s := range v.shares() {
			all = append(all, s.Name+" "+figure.Part(s.Part))
		}
		out.paragraph("  ", fmt.Sprintf("%s = %s of %s", strings.Join(all, ", "), figure.Part(v.Classes.Memory()), counted(v.Classes.Samples, "sample")))
	} else {
		out.paragraph("  ", "no CPU profile: the cost of malloc is unknown")
	}
	out.paragraph("  ceiling ", v.ceiling())
}

// printSettings writes how much settings of the runtime would save.
func (v *view) printSettings(out *screen) {
	const question = "What would one setting save?"
	fmt.Fprintln(out)
	if len(v.Settings) == 0 {
		out.paragraph(question+"  ", "not measured")
		return
	}
	fmt.Fprintln(out, question)
	rows := make([][]string, 0, len(v.Settings))
	for _, s := range v.Settings {
		rows = append(rows, []string{"", termtext.Plain(s.Name), saved(&s.CPU), savedInterval(&s.CPU), grown(s.RSS), figure.Count(float64(s.Rounds))})
	}
	out.table([]column{
		{"", left, 0, 0}, // indents the table like the answers above
		{"setting", left, 0, 8},
		{"saves CPU", right, 0, 10},
		{"95 % interval", right, 0, 0},
		{"peak memory", right, 0, 9},
		{"rounds", right, 0, 0},
	}, rows)
	for _, s := range v.Settings {
		if s.Price != "" {
			out.paragraph("  ", termtext.Plain(s.Name+" needs "+s.Price))
		}
	}
}

// printSites writes the table of sites.
func (v *view) printSites(out *screen) {
	if len(v.Sites) > 0 {
		rows := make([][]string, 0, len(v.Sites))
		for _, s := range v.Sites {
			c := v.row(s)
			rows = append(rows, []string{c.Number, c.Name, c.Objects, c.Bytes, c.Malloc, c.Fate, c.Type, c.Do})
		}
		columns := []column{
			{"", right, 0, 0},
			{"site", tail, 31, 8},
			{"objects", right, 0, 0},
			{"bytes", right, 0, 0},
			{"malloc", right, 0, 0},
			{"lifetime", left, 16, 5},
			{"type", left, 10, 4},
			{"do", left, 14, 5},
		}
		if len(v.Result.Proposals) == 0 {
			columns[0].title = " " // indents the table like the answers above
		}
		fmt.Fprintln(out)
		out.table(columns, rows)
		if line := v.overhead(); line != "" {
			out.paragraph("  ", line)
		}
		for _, text := range v.reasons() {
			out.paragraph("  ", text)
		}
		if v.mixture() {
			out.paragraph("  ", "mixed: parts that are temporary / live as long as the result / are retained, in percent")
		}
	} else if len(v.Result.Sites) == 0 {
		fmt.Fprintln(out, "  no allocation site found")
	}
	if text := v.notShown(); text != "" {
		out.paragraph("  ", text)
	}
}

// printShared writes the conditions and the command that all proposals have in common.
func (v *view) printShared(out *screen) {
	if len(v.If)+len(v.Next) > 0 {
		fmt.Fprintln(out)
	}
	if len(v.If) > 0 {
		out.paragraph("all if      ", list(v.If))
	}
	switch {
	case v.Next != "":
		out.command("then        ", termtext.Plain(v.Next))
	case len(v.Proposals) == 0 && v.Target.Then != "":
		fmt.Fprintln(out)
		out.command("then        ", termtext.Plain(v.Target.Then))
	}
}

// printProposal writes a proposal: the change, its estimate and its conditions.
func (v *view) printProposal(out *screen, p proposal) {
	fmt.Fprintln(out)
	text := func(label, text string) {
		if text != "" {
			out.paragraph(fmt.Sprintf("   %-9s", label), text)
		}
	}
	out.paragraph(fmt.Sprintf("%d: ", p.Number), termtext.Plain(p.Title))
	text("estimate", estimate(p.Estimate))
	text("fix", describeFix(p.Proposal))
	text("if", list(p.Estimate.If))
	text("why", list(p.Why))
	text("price", list(p.Prices()))
	text("how", termtext.Plain(p.Help))
	if p.Next != "" {
		out.command("   next     ", termtext.Plain(p.Next))
	}
}
