// Package termtext prepares texts for a terminal, and computes their width: East Asian letters and
// emoji occupy two columns, and combining characters occupy none.
package termtext

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Width returns the number of terminal columns that a string occupies.
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

// mark replaces the part of a string that was cut.
const mark = "…"

// Cut returns a string unchanged if it is no wider than width columns; otherwise it cuts the end
// and marks the cut.
func Cut(text string, width int) string {
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
