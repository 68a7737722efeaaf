// Package markdown puts text of others into Markdown that code hosts show.
package markdown

import "strings"

var special = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "\n", " ")

// Text is text that is shown as it is, also in a table.
func Text(text string) string { return special.Replace(text) }

// Code is text in the letters of a program. Backquotes become quotes.
func Code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// CodeCell is Code for a table.
func CodeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(Code(text))
}
