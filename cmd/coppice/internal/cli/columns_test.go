//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

func TestColumnsOfATerminal(t *testing.T) {
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	defer tty.Close()
	for _, columns := range []int{0, 60, 200} {
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
			t.Fatal(err)
		}
		if got := Columns(tty); got != columns {
			t.Errorf("%d columns, want %d", got, columns)
		}
	}
}

func TestColumnsOfAFile(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	file, err := os.Create(filepath.Join(t.TempDir(), "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if n := Columns(file); n != 0 {
		t.Errorf("a file has %d columns, want 0", n)
	}
	if n := Columns(&strings.Builder{}); n != 0 {
		t.Errorf("a writer in memory has %d columns, want 0", n)
	}
}
