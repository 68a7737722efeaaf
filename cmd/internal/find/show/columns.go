package show

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// width is the number of columns of the screen.
const width = 100

// gap separates two columns of a table.
const gap = "  "

// paragraph writes a string in lines no wider than the screen: the first begins with the label,
// and the others are indented by its width. A word that is wider than a line is split.
func paragraph(out *strings.Builder, label, text string) {
	indent := strings.Repeat(" ", uniseg.StringWidth(label))
	line, empty := label, true
	end := func() {
		fmt.Fprintln(out, strings.TrimRight(line, " "))
		line, empty = indent, true
	}
	for word := range strings.FieldsSeq(text) {
		for {
			room := width - uniseg.StringWidth(line)
			if !empty {
				room--
			}
			if uniseg.StringWidth(word) <= room {
				break
			}
			if !empty {
				end()
				continue
			}
			head := prefix(word, room)
			line += head
			word = word[len(head):]
			end()
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	if !empty || line == label {
		end()
	}
}

// prefix returns the longest prefix of a string that is no wider than n, and at least one
// character.
func prefix(text string, n int) string {
	used, length := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > n && length > 0 {
			break
		}
		length += len(g.Str())
	}
	return text[:length]
}

// suffix returns the longest suffix of a string that is no wider than n.
func suffix(text string, n int) string {
	rest := uniseg.StringWidth(text)
	g := uniseg.NewGraphemes(text)
	for rest > n && g.Next() {
		rest -= g.Width()
		text = text[len(g.Str()):]
	}
	return text
}

// An alignment states on which side a cell is aligned, and at which end it is cut.
type alignment int

const (
	left  alignment = iota // text on the left; the end is cut off
	right                  // numbers on the right; never cut
	tail                   // text on the left; the beginning is cut off, because the end of a path matters more
)

// A column is a column of a table.
type column struct {
	title string
	align alignment
	worth int // the width that it keeps as long as other columns exceed theirs
	least int // the width that it always keeps
}

// table writes rows below titles, no wider than the screen. It cuts the widest column first, among
// the columns that exceed worth, then among the columns that exceed least.
func table(out *strings.Builder, columns []column, rows [][]string) {
	widths := make([]int, len(columns))
	total := len(gap) * (len(columns) - 1)
	for i, c := range columns {
		widths[i] = uniseg.StringWidth(c.title)
		for _, row := range rows {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
		total += widths[i]
	}
	for ; total > width; total-- {
		i := widest(columns, widths, func(c column) int { return c.worth })
		if i < 0 {
			i = widest(columns, widths, func(c column) int { return c.least })
		}
		if i < 0 {
			break
		}
		widths[i]--
	}
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	for _, row := range append([][]string{titles}, rows...) {
		line := ""
		for i, c := range columns {
			if i > 0 {
				line += gap
			}
			line += cell(row[i], c.align, widths[i])
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// widest returns the column to cut, or -1 if none is wider than its bound.
func widest(columns []column, widths []int, bound func(column) int) int {
	found := -1
	for i, c := range columns {
		if c.align != right && widths[i] > bound(c) && (found < 0 || widths[i] > widths[found]) {
			found = i
		}
	}
	return found
}

// cell returns a string, cut or padded to n columns.
func cell(text string, a alignment, n int) string {
	const cut = "…"
	if uniseg.StringWidth(text) > n {
		switch a {
		case left:
			text = prefix(text, n-1) + cut
		case tail:
			text = cut + suffix(text, n-1)
		}
	}
	space := strings.Repeat(" ", max(0, n-uniseg.StringWidth(text)))
	if a == right {
		return space + text
	}
	return text + space
}

// command writes a shell command. It is wrapped with a backslash at spaces outside quotes; a word
// that is too wide for a line exceeds the screen.
func command(out *strings.Builder, label, text string) {
	const more = ` \`
	indent := strings.Repeat(" ", uniseg.StringWidth(label))
	line := label
	for i, word := range words(text) {
		if i > 0 && uniseg.StringWidth(line+" "+word+more) > width {
			fmt.Fprintln(out, line+more)
			line = indent + " "
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(out, line)
}

// words splits a command at spaces that are not quoted.
func words(command string) (all []string) {
	start, quote, escaped := 0, rune(0), false
	for i, r := range command {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ':
			if i > start {
				all = append(all, command[start:i])
			}
			start = i + 1
		}
	}
	if start < len(command) {
		all = append(all, command[start:])
	}
	return all
}
