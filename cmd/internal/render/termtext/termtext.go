// Package termtext prepares texts for a terminal, and computes their width: East Asian letters and
// emoji take two columns, and combining characters take none.
package termtext

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Width returns the number of terminal columns that a string takes.
func Width(text string) int { return uniseg.StringWidth(text) }

// Left pads a string to width columns, on the right.
func Left(text string, width int) string { return text + space(text, width) }

// Right pads a string to width columns, on the left.
func Right(text string, width int) string { return space(text, width) + text }

func space(text string, width int) string { return strings.Repeat(" ", max(0, width-Width(text))) }

// Plain returns a string as one line, without control characters and without characters that change
// the order of others.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// Cut returns a string unchanged if it is no wider than width columns; otherwise it cuts the end
// and marks the cut.
func Cut(text string, width int) string {
	const mark = "…"
	if Width(text) <= width {
		return text
	}
	used, end := Width(mark), 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > width {
			break
		}
		end += len(g.Str())
	}
	return text[:end] + mark
}

// RightTable writes rows with cells aligned to the right, two spaces apart. The last cell of a row
// is aligned to the left.
func RightTable(out *strings.Builder, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	const gap = 2
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			out.WriteString(Right(cell, widths[i]+gap))
		}
		out.WriteString(row[last] + "\n")
	}
}
