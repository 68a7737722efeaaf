// Package markdown escapes arbitrary text for Markdown, so that code hosts show it literally.
package markdown

import "strings"

var special = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "\n", " ")

// Text escapes text so that it is shown literally, even in a table.
func Text(text string) string { return special.Replace(text) }

// Code returns text as a code span. It replaces backquotes by apostrophes.
func Code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// CodeCell is like Code but for text in a table cell.
func CodeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(Code(text))
}
