// Package prose removes the line breaks from documents and comments, so that tests can search them.
// A test that searches for several words would otherwise fail if the paragraph is wrapped
// differently.
package prose

import "strings"

// Unwrap returns text as a single line, with one space between words. In comments, it removes the
// // at the beginning of each line.
func Unwrap(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && fields[0] == "//" {
			fields = fields[1:]
		}
		words = append(words, fields...)
	}
	return strings.Join(words, " ")
}
