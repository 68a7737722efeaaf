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

// On a terminal a long run shows a bar, which never gets into the output.
func TestProgressOnTerminal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// testscript runs a command of TestMain if the program's name is its name.
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
	shown, _ := io.ReadAll(terminal) // ends with an error when the last writer closes
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
