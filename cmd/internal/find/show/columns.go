package show

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// A screen collects the output for a terminal or for a file.
type screen struct {
	strings.Builder
	width int  // the maximum number of columns of a line
	wrap  bool // wrap cells that are too wide, as in a file, instead of cutting them
}

// newScreen returns an empty screen for a terminal with the given number of columns, or for a file
// if the number is 0. A screen has at most 100 columns, because longer lines of prose are hard to
// read, and at least 40.
func newScreen(columns int) *screen {
	return &screen{width: cmp.Or(termtext.Prose(columns), termtext.MostProse), wrap: columns <= 0}
}

// gap separates the columns of a table.
const gap = "  "

// paragraph writes text in lines that fit the screen. The first line begins with the label, and the
// other lines are indented by the width of the label. A word that is wider than a line is split.
func (s *screen) paragraph(label, text string) {
	s.WriteString(termtext.Wrap(label, strings.Join(strings.Fields(text), " "), s.width))
}

// An alignment states how the cells of a column are aligned, and at which end long cells are cut.
type alignment int

const (
	left  alignment = iota // text on the left; the end is cut off
	right                  // numbers on the right; never cut
	tail                   // text on the left; the beginning is cut off, because the end of a path matters more
)

// A column describes a column of a table.
type column struct {
	title string
	align alignment
	worth int // width that it keeps as long as other columns are wider than their own worth
	least int // width that it always keeps; on the right, 0 keeps the whole width
}

// steps is the number of steps in which a table is narrowed until it fits the screen.
const steps = 4

// bounds returns the width to which a column may be narrowed in each step. In the first step, if
// cells are wrapped, this is the width of the longest word. In the second step it is c.worth, and
// after that c.least. Right-aligned columns are narrowed only in the last step.
func (s *screen) bounds(c column, longest int) [steps]int {
	const never = math.MaxInt
	whole := never
	if s.wrap {
		whole = max(longest, c.least)
	}
	switch {
	case c.align != right:
		return [steps]int{whole, max(c.worth, c.least), c.least, c.least}
	case c.least > 0:
		return [steps]int{never, never, never, c.least}
	}
	return [steps]int{never, never, never, never}
}

// table writes rows below the titles of the columns. In each step, it narrows the widest column
// that exceeds its bound, until the table fits the screen. If the first step cannot make the table
// fit, table skips it. If the table is too wide even after the last step, it extends beyond the
// screen.
func (s *screen) table(columns []column, rows [][]string) {
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	rows = append([][]string{titles}, rows...)
	widths, bounds := make([]int, len(columns)), make([][steps]int, len(columns))
	total := len(gap) * (len(columns) - 1)
	whole := total // total width after the first step
	for i, c := range columns {
		longest := 0
		for _, row := range rows {
			widths[i] = max(widths[i], termtext.Width(row[i]))
			for word := range strings.FieldsSeq(row[i]) {
				longest = max(longest, termtext.Width(word))
			}
		}
		bounds[i] = s.bounds(c, longest)
		total += widths[i]
		whole += min(widths[i], bounds[i][0])
	}
	step := 0
	if whole > s.width {
		step++ // the first step does not suffice: words are split in any case
	}
	for total > s.width && step < steps {
		i := widest(widths, bounds, step)
		if i < 0 {
			step++
			continue
		}
		widths[i]--
		total--
	}
	for _, row := range rows {
		s.row(columns, widths, row)
	}
}

// widest returns the index of the widest column that exceeds its bound in a step, or -1 if there is
// none.
func widest(widths []int, bounds [][steps]int, step int) int {
	found := -1
	for i, width := range widths {
		if width > bounds[i][step] && (found < 0 || width > widths[found]) {
			found = i
		}
	}
	return found
}

// row writes a row of a table, in several lines if a cell is wrapped.
func (s *screen) row(columns []column, widths []int, row []string) {
	cells := make([][]string, len(columns))
	height := 0
	for i, c := range columns {
		cells[i] = s.cell(row[i], c.align, widths[i])
		height = max(height, len(cells[i]))
	}
	for n := range height {
		line := ""
		for i, c := range columns {
			text := ""
			if n < len(cells[i]) {
				text = cells[i][n]
			}
			if i > 0 {
				line += gap
			}
			if c.align == right {
				line += termtext.Right(text, widths[i])
			} else {
				line += termtext.Left(text, widths[i])
			}
		}
		fmt.Fprintln(s, strings.TrimRight(line, " "))
	}
}

// cell returns the lines of a cell that is n columns wide. The text is wrapped, or cut to one line.
// Numbers are never cut.
func (s *screen) cell(text string, a alignment, n int) []string {
	switch {
	case s.wrap || a == right:
		return termtext.Lines(text, n)
	case a == tail:
		return []string{termtext.CutStart(text, n)}
	}
	return []string{termtext.Cut(text, n)}
}

// command writes a shell command. It breaks lines at spaces outside quotes, and ends each broken
// line with a backslash. A word that is too wide for a line extends beyond the screen.
func (s *screen) command(label, text string) {
	const more = ` \`
	indent := strings.Repeat(" ", termtext.Width(label))
	line := label
	for i, word := range splitWords(text) {
		if i > 0 && termtext.Width(line+" "+word+more) > s.width {
			fmt.Fprintln(s, line+more)
			line = indent + " "
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(s, line)
}

// splitWords splits a command at unquoted spaces.
func splitWords(command string) (all []string) {
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
