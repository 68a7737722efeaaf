// Package prose converts documents and comments to text without line breaks, so that tests can
// search it. Otherwise, a test that looks for several words would fail when a paragraph is wrapped
// differently.
package prose

import "strings"

// Unwrap returns a text as one line, with one space between words, and without the marks // at the
// beginning of the lines of a comment.
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
