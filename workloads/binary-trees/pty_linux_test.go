package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestProgressOnTerminal verifies that a long run shows a progress bar on a terminal, and that the
// bar never appears on standard output.
func TestProgressOnTerminal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// TestMain runs the program instead of the tests if the binary is started under this name.
	link := t.TempDir() + "/binary-trees"
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "-workers", "1", "16")
	cmd.Env = append(os.Environ(), "TERM=xterm")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	terminal, stderr, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr.Close()
	shown, _ := io.ReadAll(terminal) // an error ends the read when the last writer closes
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(shown), "building trees") {
		t.Errorf("no progress on the terminal: %q", shown)
	}
	want, err := os.ReadFile("expected/depth-16.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stdout.Bytes(), want) {
		t.Errorf("standard output is\n%swant\n%s", &stdout, want)
	}
}
