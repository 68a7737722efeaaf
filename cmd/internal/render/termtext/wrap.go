package termtext

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Bounds for the width of prose. Longer lines are hard to read, and shorter ones break too often.
const (
	LeastProse = 40
	MostProse  = 100
)

// Prose returns the width of prose on a terminal with the given number of columns: this number, but
// at least LeastProse and at most MostProse. If columns is 0, which stands for no limit, Prose
// returns 0.
func Prose(columns int) int {
	if columns <= 0 {
		return 0
	}
	return min(max(columns, LeastProse), MostProse)
}

// Wrap returns a label and a text as lines no wider than width columns, each with its line feed.
// The first line begins with the label, and the others are indented by its width. A label that
// occupies more than half of the width is alone on its line, unless the text fits beside it. With a
// width of 0, nothing is wrapped.
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

// Lines breaks a string at its spaces into lines no wider than width columns. A word that is wider
// is split. A string that fits is returned as it is, and there is always at least one line.
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

// begin returns the longest beginning of a string that is no wider than width columns, and at least
// one character.
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

// CutStart returns a string unchanged if it is no wider than width columns; otherwise it cuts the
// beginning and marks the cut, because the end of a path or of a name matters more.
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
