package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// gap is the number of spaces between two columns.
const gap = 2

// Grid writes a table whose first row is the header. If the table is wider than the screen, the
// remaining columns follow in further tables below, each of which repeats the first column.
func Grid(out io.Writer, width int, rows [][]string) {
	columns := widths(rows)
	if len(columns) == 0 {
		return
	}
	if fits(width, columns) {
		width = 0
	} else {
		columns[0] = min(columns[0], max(width*2/5, 12))
	}
	for from := 1; from < len(columns) || from == 1; {
		to, used := from, columns[0]
		for to < len(columns) && (to == from || width == 0 || used+gap+columns[to] <= width) {
			used += gap + columns[to]
			to++
		}
		for _, row := range rows {
			writeRow(out, row, columns, from, to)
		}
		from = max(to, from+1)
	}
}

// writeRow writes a row with its first cell, which is wrapped if necessary, and the columns in the
// range [from, to).
func writeRow(out io.Writer, row []string, columns []int, from, to int) {
	key := broken(row[0], columns[0])
	line := termtext.Left(key[0], columns[0])
	for i := from; i < min(to, len(row)); i++ {
		line += strings.Repeat(" ", gap) + termtext.Left(row[i], columns[i])
	}
	fmt.Fprintln(out, strings.TrimRight(line, " "))
	for _, more := range key[1:] {
		fmt.Fprintln(out, more)
	}
}

// widths returns the widths of the columns of a table.
func widths(rows [][]string) (all []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(all) {
				all = append(all, 0)
			}
			all[i] = max(all[i], termtext.Width(cell))
		}
	}
	return all
}

// fits reports whether a table with these column widths fits the screen.
func fits(width int, columns []int) bool {
	total := -gap
	for _, w := range columns {
		total += w + gap
	}
	return width <= 0 || total <= width
}

// Wrap writes a text, wrapped to the width of the screen.
func Wrap(out io.Writer, width int, text string) {
	for _, line := range broken(text, width) {
		fmt.Fprintln(out, line)
	}
}

// broken wraps a text to the given width and returns its lines. Lines after the first are indented.
// A word that is too wide gets a line of its own.
func broken(text string, width int) (lines []string) {
	if width <= 0 || termtext.Width(text) <= width {
		return []string{text}
	}
	const indent = "  "
	line := text[:len(text)-len(strings.TrimLeft(text, " "))]
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && termtext.Width(line)+1+termtext.Width(word) > width {
			lines, line, empty = append(lines, line), indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}
