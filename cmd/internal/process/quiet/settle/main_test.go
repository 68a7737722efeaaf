package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

// The command prints nothing if the machine is quiet. If the machine is busy, it fails and states
// the reason.
func TestSettle(t *testing.T) {
	folder := t.TempDir()
	quiet.Pretend(folder)
	for _, c := range []struct {
		average, args string
		code          int
		says          string
	}{
		{"0.01 4000 4000 1/1 1", "", 0, ""},
		{"4000 0 0 1/1 1", "-at-most 0", 1, "settle: after 0s, the load of the last minute is 4000.0 on "},
		{"0.01 0 0 1/1 1", "-at-most -1s", 2, "settle: takes no arguments, and -at-most must be at least 0\n"},
		{"0.01 0 0 1/1 1", "now", 2, "settle: takes no arguments"},
		{"0.01 0 0 1/1 1", "-nonsense", 2, "flag provided but not defined"},
	} {
		if err := os.WriteFile(filepath.Join(folder, "loadavg"), []byte(c.average), 0o666); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(c.args), &stderr); code != c.code || !strings.HasPrefix(stderr.String(), c.says) || c.says == "" && stderr.Len() > 0 {
			t.Errorf("%s, settle %s: exit code %d, it says %q, want %d and %q", c.average, c.args, code, &stderr, c.code, c.says)
		}
	}
}

// The command reports only once that it is waiting.
func TestSettleReportsWaitOnce(t *testing.T) {
	folder := t.TempDir()
	quiet.Pretend(folder)
	name := filepath.Join(folder, "loadavg")
	if err := os.WriteFile(name, []byte("4000 0 0 1/1 1"), 0o666); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	ends := writer(func(text string) {
		said.WriteString(text)
		if err := os.WriteFile(name, []byte("0.01 0 0 1/1 1"), 0o666); err != nil {
			t.Error(err)
		}
	})
	if code := run(t.Context(), nil, ends); code != 0 || strings.Count(said.String(), "\n") != 1 || !strings.HasPrefix(said.String(), "settle: waiting at most 10m0s until the machine is quiet: the load of the last minute is 4000.0 on ") {
		t.Errorf("exit code %d, it says %q", code, &said)
	}
}

// A writer is an io.Writer that calls a function with the text.
type writer func(text string)

// Write calls w with text.
func (w writer) Write(text []byte) (int, error) {
	w(string(text))
	return len(text), nil
}
