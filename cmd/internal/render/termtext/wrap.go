package termtext

import (
	"strings"

	"github.com/rivo/uniseg"
)

// These are bounds for the width of prose. Longer lines are hard to read, and shorter lines break
// too often.
const (
	LeastProse = 40
	MostProse  = 100
)

// Prose returns the width of prose on a terminal with the given number of columns. This is the
// number of columns, but at least LeastProse and at most MostProse. If columns is 0, which means
// that the width is unlimited, Prose returns 0.
func Prose(columns int) int {
	if columns <= 0 {
		return 0
	}
	return min(max(columns, LeastProse), MostProse)
}

// Wrap returns a label and a text, wrapped into lines of at most width columns, each of which ends
// with a newline. The first line begins with the label, and the others are indented by the width of
// the label. A label that occupies more than half of the width is alone on its line, unless the
// text fits beside it. If width is 0, nothing is wrapped.
func Wrap(label, text string, width int) string {
	if width <= 0 {
		return label + text + "\n"
	}
	out := &strings.Builder{}
	indent := Width(label)
	if text != "" && indent > width/2 && indent+Width(text) > width {
		const step = 2
		out.WriteString(strings.TrimRight(label, " ") + "\n")
		indent = min(indent-Width(strings.TrimLeft(label, " "))+step, width/2)
		label = strings.Repeat(" ", indent)
	}
	for paragraph := range strings.SplitSeq(text, "\n") {
		for _, line := range Lines(paragraph, width-indent) {
			out.WriteString(strings.TrimRight(label+line, " ") + "\n")
			label = strings.Repeat(" ", indent)
		}
	}
	return out.String()
}

// Lines breaks text at its spaces into lines of at most width columns. It splits a word that is
// wider than that. If text fits, it is returned unchanged. There is always at least one line.
func Lines(text string, width int) (all []string) {
	if Width(text) <= width {
		return []string{text}
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && Width(line+" "+word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			all = append(all, line)
		}
		line = word
		for head := begin(line, width); len(head) < len(line); head = begin(line, width) {
			all, line = append(all, head), line[len(head):]
		}
	}
	return append(all, line)
}

// begin returns the longest prefix of text that is at most width columns wide, but at least one
// character.
func begin(text string, width int) string {
	used, end := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > width && end > 0 {
			break
		}
		end += len(g.Str())
	}
	return text[:end]
}

// CutStart returns text unchanged if it is at most width columns wide. Otherwise it cuts off the
// start and marks the cut. It is for paths and names, whose end matters more.
func CutStart(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	rest := Width(text)
	for g := uniseg.NewGraphemes(text); rest > width-Width(mark) && g.Next(); {
		rest -= g.Width()
		text = text[len(g.Str()):]
	}
	return mark + text
}
