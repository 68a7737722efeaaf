// Package show prints the result of coppice fix for a terminal, as Markdown for a pull request, and
// as the header of a patch.
package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/fix"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	proven "github.com/coppice-go/coppice/cmd/internal/prove/show"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// most is the maximum number of lines of each kind that the screen shows for a step.
const most = 4

// Screen prints a result for a terminal with the given number of columns. If columns is 0, it
// prints for a file and does not wrap lines. The parameter folder names the folder that contains
// the patches.
func Screen(w io.Writer, r *fix.Result, folder string, columns int) error {
	out := &termtext.Screen{Columns: columns}
	out.Say("", r.Target.Package+" "+r.Target.Name)
	out.WriteString("\n")
	if len(r.Steps) == 0 {
		out.Say("", fmt.Sprintf("nothing to fix. %s: %s", r.Answer, r.Reason))
	}
	for _, s := range r.Steps {
		screenStep(out, s)
		out.WriteString("\n")
	}
	screenTotal(out, r, folder)
	for _, line := range r.Warnings {
		out.Say("warning: ", line)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func screenStep(out *termtext.Screen, s *fix.Step) {
	switch s.State {
	case fix.Left:
		out.Say("-  ", titled(s))
		out.Say("   left: ", s.Why)
		return
	case fix.Begun:
		out.Say("-  ", titled(s))
		out.Say("   begun: ", fmt.Sprintf("begun/%s adds files to continue from", s.Patch))
		sayFirst(out, "to do: ", s.Todo)
		return
	}
	out.Say(fmt.Sprintf("%d  ", s.Number), titled(s))
	sayFirst(out, "", s.Done)
	sayFirst(out, "stays: ", s.Stay)
	if line := figures(s.Heap); line != "" {
		out.Say("   ", withoutArena+" "+line)
	}
	if line := figures(s.Proof); line != "" {
		if s.Heap != nil {
			line = withArena + " " + line
		}
		out.Say("   ", line)
	}
	out.Say("   "+verdict(s)+": ", s.Why)
}

func sayFirst(out *termtext.Screen, what string, all []string) {
	for i, line := range all {
		if i == most {
			fmt.Fprintf(out, "   %sand %d more\n", what, len(all)-most)
			return
		}
		out.Say("   "+what, line)
	}
}

func screenTotal(out *termtext.Screen, r *fix.Result, folder string) {
	kept := r.Kept()
	switch {
	case len(kept) == 0:
		out.WriteString("nothing is kept\n")
		return
	case r.Total != nil:
		out.Say("in all: ", figures(r.Total))
		out.Say("        ", equality(r.Total))
		if r.Total.Verdict != prove.Keep {
			out.Say("        but all together: ", strings.ToUpper(string(r.Total.Verdict))+": "+strings.Join(r.Total.Comparisons[0].Reasons, "; "))
		}
	}
	text := counted(len(kept), "patch", "patches") + " in " + folder
	if r.Diff != "" {
		text += "; coppice fix -apply makes the changes"
	}
	out.Say("", text)
}

// verdict returns the outcome of a step as one word.
func verdict(s *fix.Step) string {
	switch {
	case s.State == fix.Kept:
		return "KEEP"
	case s.Proof != nil && s.Proof.Verdict != "":
		return strings.ToUpper(string(s.Proof.Verdict))
	}
	return "FAILED"
}

// Titles of the two proofs of an arena variant.
const (
	withoutArena = "without an arena:"
	withArena    = "with one that is reset after each result:"
)

// titled returns the title of a step, followed by its estimate if it has one.
func titled(s *fix.Step) string {
	if len(s.Proposals) == 0 {
		return s.Title
	}
	return s.Title + ": " + estimate(s)
}

// estimate describes the estimate of a step. If the estimate is void and the step was tried, it
// adds the reason. A step that was left has another reason, which would apply even if the estimate
// were valid.
func estimate(s *fix.Step) string {
	text := fmt.Sprintf("estimated %.1f %% of CPU", 100*s.Estimate())
	if s.State == fix.Left {
		return text
	}
	var void []string
	for _, p := range s.Proposals {
		for _, why := range p.Estimate.Void {
			if len(void) == 0 || void[len(void)-1] != why {
				void = append(void, why)
			}
		}
	}
	if len(void) > 0 {
		text += " (void: " + void[0] + ")"
	}
	return text
}

// figures formats the most important metrics of a proof in one line.
func figures(r *prove.Result) string {
	if r == nil || len(r.Comparisons) == 0 || len(r.Comparisons[0].Subjects) == 0 {
		return ""
	}
	var all []string
	for _, m := range r.Comparisons[0].Subjects[0].Metrics {
		if m.Name != "wall" && m.Name != "gc" && m.Ratio > 0 {
			all = append(all, figure(m))
		}
	}
	return strings.Join(all, ", ")
}

func figure(m measure.Metric) string {
	mark := ""
	if m.Unproven() {
		mark = "~ "
	}
	text := fmt.Sprintf("%s %s%+.1f %%", metric.Named(m.Name).Op, mark, 100*(m.Ratio-1))
	if !m.Exact && m.Hi > 0 {
		text += fmt.Sprintf(" [%+.1f, %+.1f]", 100*(m.Lo-1), 100*(m.Hi-1))
	}
	return text
}

// equality describes the evidence that the old and the new code are equivalent.
func equality(r *prove.Result) string {
	e := r.Comparisons[0].Equality
	if e.Level == prove.Unproven {
		return "not shown to be equal"
	}
	return "equal by " + string(e.Level) + ": " + strings.Join(e.Done, "; ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Patch writes the patch of a step. The reasons and the proof precede it; git apply skips them.
func Patch(w io.Writer, s *fix.Step) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s\n\n", s.Title)
	paragraphs(out, "", s.About)
	for _, p := range s.Proposals {
		paragraph(out, "Why ("+p.Title+"):", p.Why)
	}
	paragraph(out, "Changed:", s.Done)
	paragraph(out, "Left as it is:", s.Stay)
	paragraph(out, "Price:", prices(s))
	paragraph(out, "To do:", s.Todo)
	paragraph(out, "To undo it:", s.Undo)
	if s.State != fix.Kept && (s.Proof != nil || s.Trouble != nil) {
		fmt.Fprintf(out, "NOT KEPT: %s\n\n", s.Why)
	}
	if s.Trouble != nil && s.Trouble.Stack != "" {
		fmt.Fprintf(out, "%s\n\n", s.Trouble.Stack)
	}
	title := "Proof:"
	if s.Heap != nil {
		if err := writeProof(out, "Proof "+withoutArena, s.Heap); err != nil {
			return err
		}
		title = "Proof " + withArena
	}
	if s.Proof != nil {
		if err := writeProof(out, title, s.Proof); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, out.String()+s.Diff)
	return err
}

// asInFile is the number of columns that selects output for a file, in which no line is wrapped.
const asInFile = 0

// writeProof writes an indented proof below a title.
func writeProof(out *strings.Builder, title string, r *prove.Result) error {
	out.WriteString(title + "\n\n")
	text := &strings.Builder{}
	if err := proven.Screen(text, r, asInFile); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		out.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	fmt.Fprintf(out, "\n    %s, %s\n\n", r.Environment["go"], r.Environment["cpu"])
	return nil
}

func paragraphs(out *strings.Builder, indent string, lines []string) {
	for _, line := range lines {
		out.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	if len(lines) > 0 {
		out.WriteString("\n")
	}
}

func paragraph(out *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	out.WriteString(title + "\n")
	paragraphs(out, "- ", lines)
}

// prices returns the prices of a step's proposals, and the assumptions of the step. What an import
// from Coppice requires is a price only of a step that is left to the user or a draft, because no
// other edit adds Coppice to a module.
func prices(s *fix.Step) (lines []string) {
	for _, p := range s.Proposals {
		all := p.Price
		if s.State == fix.Left || s.State == fix.Begun {
			all = p.Prices()
		}
		for _, price := range all {
			lines = appendNew(lines, price)
		}
	}
	for _, price := range s.Price {
		lines = appendNew(lines, price)
	}
	return lines
}

func appendNew(lines []string, line string) []string {
	for _, old := range lines {
		if old == line {
			return lines
		}
	}
	return append(lines, line)
}
