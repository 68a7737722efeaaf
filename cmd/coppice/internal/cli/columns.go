package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Columns returns the number of columns of the terminal w, or 0 if w is not a terminal or its width
// is unknown.
func Columns(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return max(columns, 0)
}
