package termtext

import "strings"

// A Screen collects text for a terminal with the given number of columns. If the number is 0, the
// output is a file, and nothing is wrapped or cut.
type Screen struct {
	strings.Builder
	Columns int
}

// Say writes a label and a text. On a terminal, it wraps them at the width that Prose returns.
func (s *Screen) Say(label, text string) { s.WriteString(Wrap(label, text, Prose(s.Columns))) }

const (
	gap       = 2  // columns between two cells
	leastText = 24 // minimum width of the last cells of a table; narrower cells have too many lines
	leastName = 8  // minimum width of a table's first cells
)

// RightTable writes rows of cells, which are two spaces apart. The last cell of a row is aligned to
// the left, and the others to the right. If a row is wider than the terminal, its last cell is
// wrapped: beside the other cells if there is enough space, and otherwise below them, indented to
// the end of the first cell. If the other columns need the space, the cells of the first column are
// cut at their start. The cells between the first and the last column are never cut; if they do not
// fit, the table is wider than the terminal.
func (s *Screen) RightTable(rows [][]string) {
	t := tableOf(rows, s.Columns)
	for _, row := range rows {
		line, last := "", len(row)-1
		for i, cell := range row[:last] {
			lead := gap
			if i == 0 {
				lead, cell = t.lead, CutStart(cell, t.widths[0])
			}
			line += strings.Repeat(" ", lead) + Right(cell, t.widths[i])
		}
		if t.fits {
			s.WriteString(line + row[last] + "\n")
			continue
		}
		s.wrapped(strings.TrimRight(line, " "), strings.TrimLeft(row[last], " "), t.text)
	}
}

// wrapped writes line, and then wraps text, the last cell of the row. The cell begins one gap after
// the given column. It is beside line if line ends at or before that column, and otherwise below
// line.
func (s *Screen) wrapped(line, text string, column int) {
	if text == "" || Width(line) > column {
		s.WriteString(line + "\n")
		line = ""
	}
	if text == "" {
		return
	}
	for _, part := range Lines(text, s.Columns-column-gap) {
		s.WriteString(Left(line, column+gap) + part + "\n")
		line = ""
	}
}

// A table is the layout of the columns that RightTable writes.
type table struct {
	widths []int // widths of all columns but the last
	lead   int   // number of columns before the first cell
	fits   bool  // no row is wider than the terminal
	text   int   // if rows do not fit, their last cells begin a gap after this column
}

func tableOf(rows [][]string, columns int) table {
	t := table{lead: gap}
	text := 0
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], Width(cell))
		}
		text = max(text, Width(row[last]))
	}
	used := 0
	for _, width := range t.widths {
		used += gap + width
	}
	t.text = used
	t.fits = columns <= 0 || used+text <= columns || len(t.widths) == 0
	if t.fits || columns-used-gap >= leastText {
		return t
	}
	if over := used - columns; over > 0 {
		t.lead = max(0, gap-over)
		over -= gap - t.lead
		t.widths[0] = max(min(t.widths[0], leastName), t.widths[0]-over)
	}
	if t.text = t.lead + t.widths[0]; columns-t.text-gap < leastText {
		t.text = gap
	}
	return t
}
