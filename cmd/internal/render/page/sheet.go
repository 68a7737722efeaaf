package page

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// A Sheet is a table that can be shown on a page or written as Markdown.
type Sheet struct {
	ID, Caption string
	Columns     []Head
	Rows        []Line
	Note        string // where the data was measured, if that matters
}

// Many reports whether the table has too many columns for horizontal headings on paper.
func (t Sheet) Many() bool { return len(t.Columns) > 13 }

// A Head describes a column of a Sheet.
type Head struct {
	Name   string
	Figure bool // cells contain figures and are right-aligned
	Long   bool // cells contain sentences, which need room
}

// A Line is a row of a Sheet.
type Line struct {
	Cells []Cell
	Data  [][2]string // names and values of properties that filters use
	Ours  bool
}

// A Cell holds the text of one table cell. If the text is a figure, Sort is the number by which the
// column is sorted.
type Cell struct {
	Text string
	Sort string
}

// SheetOf returns a Sheet with the given rows, the first of which contains the headings. A column
// other than the first contains figures if most of its cells begin with a digit, possibly after a
// sign.
func SheetOf(caption string, rows [][]string) Sheet {
	t := Sheet{Caption: caption}
	for i, name := range rows[0] {
		figures := 0
		for _, row := range rows[1:] {
			if strings.IndexAny(strings.TrimLeft(row[i], "~−-+ "), "0123456789") == 0 {
				figures++
			}
		}
		t.Columns = append(t.Columns, Head{Name: cmp.Or(name, "what"), Figure: i > 0 && 2*figures > len(rows)-1})
	}
	for _, row := range rows[1:] {
		var line Line
		for _, text := range row {
			line.Cells = append(line.Cells, Cell{Text: text})
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// Markdown writes the table to out as Markdown.
func (t Sheet) Markdown(out io.Writer) {
	names, rule := make([]string, 0, len(t.Columns)), ""
	for _, c := range t.Columns {
		names = append(names, c.Name)
		if c.Figure {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(names, " | "), rule)
	for _, row := range t.Rows {
		cells := make([]string, 0, len(row.Cells))
		for i, c := range row.Cells {
			text := strings.ReplaceAll(c.Text, "|", `\|`)
			if i == 0 && row.Ours {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	if t.Note != "" {
		fmt.Fprintf(out, "\n%s\n", t.Note)
	}
}
