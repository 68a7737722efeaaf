package termtext

import "strings"

// A Screen collects text for a terminal with the given number of columns. With 0 columns, which
// stand for a file, nothing is wrapped or cut.
type Screen struct {
	strings.Builder
	Columns int
}

// Say writes a label and a text. On a terminal, the function Wrap wraps them at the width that
// Prose returns.
func (s *Screen) Say(label, text string) { s.WriteString(Wrap(label, text, Prose(s.Columns))) }

const (
	gap       = 2  // columns between two cells
	leastText = 24 // columns for the last cells of a table; in fewer, they would have too many lines
	leastName = 8  // columns for the first cells of a table
)

// RightTable writes rows with cells aligned to the right, two spaces apart. The last cell of a row
// is aligned to the left. If a row is wider than the terminal, its last cell is wrapped: beside the
// others if there is enough space, otherwise below, from the end of the first cell on. The cells of
// the first column lose their beginning if the other columns need the space. The cells between the
// first and the last column stay whole; if they do not fit, the table is wider than the terminal.
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

// wrapped writes a line and its last cell, text. The cell begins a gap after the given column. It
// is beside the line if the line ends at that column or before, and otherwise below the line.
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

// A table describes the layout of the rows of a table.
type table struct {
	widths []int // of all cells but the last
	lead   int   // columns before the first cell
	fits   bool  // no row is wider than the terminal
	text   int   // the last cells begin a gap after this column, if the rows do not fit
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
