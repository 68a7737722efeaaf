// Package lineend handles the line endings of text files. A checkout on Windows may end lines with
// a carriage return and a line feed. Reading and comparing must ignore this, and editing must
// preserve it.
package lineend

import "bytes"

// Unix replaces each line ending with a line feed.
func Unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// IsWindows reports whether most lines of the text end with a carriage return and a line feed.
func IsWindows(text []byte) bool {
	return bytes.Count(text, []byte("\r\n")) > bytes.Count(text, []byte("\n"))/2
}

// Like returns text with the line ending that most lines of old have.
func Like(old, text []byte) []byte {
	text = Unix(text)
	if IsWindows(old) {
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

// Equal reports whether two texts differ at most in their line endings.
func Equal(a, b []byte) bool { return bytes.Equal(Unix(a), Unix(b)) }
