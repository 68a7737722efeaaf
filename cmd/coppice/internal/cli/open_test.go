package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// opener puts a fake xdg-open first on PATH. It appends its argument to the file asked and then
// runs script.
func opener(t *testing.T, script string) (asked string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("xdg-open is the opener of Linux")
	}
	dir := t.TempDir()
	asked = filepath.Join(dir, "asked")
	text := "#!/bin/sh\necho \"$1\" >>'" + asked + "'\necho it talks\necho it talks >&2\n" + script
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return asked
}

// opens calls Open for a page whose path contains a space and a #. It returns the page's URL and
// the text that Open writes to stderr.
func opens(t *testing.T) (address, said string) {
	t.Helper()
	page := filepath.Join(t.TempDir(), "a b", "page#1.html")
	var stderr strings.Builder
	Open(page, &stderr)
	return "file://" + strings.NewReplacer(" ", "%20", "#", "%23").Replace(filepath.ToSlash(page)), stderr.String()
}

func TestOpen(t *testing.T) {
	asked := opener(t, "")
	address, said := opens(t)
	if got, err := os.ReadFile(asked); err != nil || string(got) != address+"\n" || said != "" {
		t.Errorf("it opens %q (%v), want %q, and says %q", got, err, address, said)
	}
}

func TestOpenFails(t *testing.T) {
	opener(t, "exit 3")
	address, said := opens(t)
	if want := "coppice: -open: the browser could not be started (exit status 3); the page is " + address + "\n"; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}

func TestOpenWithoutOpener(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows opens pages itself")
	}
	t.Setenv("PATH", t.TempDir())
	address, said := opens(t)
	if want := "coppice: -open: PATH has no program that opens pages; the page is " + address + "\n"; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}

// TestOpenDoesNotWaitForBrowser verifies that Open returns even if xdg-open keeps running, as some
// do until the browser is closed.
func TestOpenDoesNotWaitForBrowser(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = time.Millisecond
	running := filepath.Join(t.TempDir(), "running")
	if err := os.WriteFile(running, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	opener(t, "while [ -e '"+running+"' ]; do sleep 0.1; done") // it ends when the file is removed
	if _, said := opens(t); said != "" {
		t.Errorf("it says %q", said)
	}
}
