// Package markdown quotes arbitrary text for Markdown, so that code hosts show it as it is.
package markdown

import "strings"

var special = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "\n", " ")

// Text quotes text so that it is shown literally, even in a table.
func Text(text string) string { return special.Replace(text) }

// Code returns text as a code span. Backquotes become quotes.
func Code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// CodeCell is like Code, for the cell of a table.
func CodeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(Code(text))
}
