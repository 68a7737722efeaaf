// Package termtext formats text for a terminal. It computes how many columns text occupies: East
// Asian letters and emoji occupy two columns each, and combining characters occupy none.
package termtext

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Width returns the number of terminal columns that a string occupies.
func Width(text string) int { return uniseg.StringWidth(text) }

// Left aligns text to the left: it pads text with spaces on the right to width columns.
func Left(text string, width int) string { return text + space(text, width) }

// Right aligns text to the right: it pads text with spaces on the left to width columns.
func Right(text string, width int) string { return space(text, width) + text }

func space(text string, width int) string { return strings.Repeat(" ", max(0, width-Width(text))) }

// Plain returns text as one line, without control characters and without characters that change the
// order in which others are shown.
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

// mark shows where a string was cut.
const mark = "…"

// Cut returns text unchanged if it is at most width columns wide. Otherwise it cuts off the end and
// marks the cut.
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
