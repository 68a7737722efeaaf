package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block matches a fenced code block. The groups are its language and its content.
var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestTutorialOfFlat follows the tutorial on flat trees in a new module beside a clone, with the
// files and the commands as printed. It verifies that the program prints the output that the page
// shows, and that dump reads the saved file.
func TestTutorialOfFlat(t *testing.T) {
	_, section, found := strings.Cut(readFile(t, filepath.Join(root, "docs", "FLAT.md")), "\n## From your types to a saved tree\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := block.FindAllStringSubmatch(section, -1)
	if !found || len(blocks) != 5 {
		t.Fatalf("the tutorial has %d blocks, want the schema, two sets of commands, a program and its output", len(blocks))
	}
	schema, commands, program, output := blocks[0][2], blocks[2][2], blocks[3][2], blocks[4][2]
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	runLine(t, clone, "go install ./cmd/coppice", "GOBIN="+bin)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))

	user := emptyModule(t, clone)
	runLine(t, user, "go mod edit -module=example.org/trees")
	for name, text := range map[string]string{"expr/expr.go": schema, "main.go": program} {
		file := filepath.Join(user, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(commands) {
		runLine(t, user, strings.TrimSpace(line))
	}
	if got := runLine(t, user, "go run -race=false ."); got != output {
		t.Errorf("the program prints\n%s, want\n%s", got, output)
	}
	if dump := runLine(t, user, "coppice flat dump folded.flat"); !strings.Contains(dump, "Bin") || !strings.Contains(dump, "Var") {
		t.Errorf("dump prints\n%s", dump)
	}
}
