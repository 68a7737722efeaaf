package values

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// program creates strings in three places: few distinct ones, only distinct ones, and too many to
// be counted in memory, each of them twice. In the second place, the strings have a named type. The
// code uses an old language version.
const program = `package main

import ("fmt"; "os")

type name string

var sink string

func main() {
	for i := 0; i < 1000; i++ {
		sink = string(fmt.Appendf(nil, "%d", i%7)) // few
		_ = name(/* all */ fmt.Append(nil, i)); _, _ = len(sink), name([]byte{1, 2, 3})
	}
	for i := 0; i < 100_000; i++ {
		sink = string(fmt.Append(nil, i%50_000)) // many
	}
	if len(os.Args) > 1 { panic("line 17") }
}
`

func span(t *testing.T, file, operand string) *site.Span {
	t.Helper()
	from := strings.Index(program, operand)
	if from < 0 {
		t.Fatalf("no %s", operand)
	}
	return &site.Span{File: file, From: from, To: from + len(operand)}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// goRun returns a function that builds and runs the program with changes.
func goRun(dir string, args ...string) Run {
	return func(ctx context.Context, c wrap.Changes, env map[string]string) error {
		aside, err := os.MkdirTemp("", "strings")
		if err != nil {
			return err
		}
		defer os.RemoveAll(aside)
		replace, err := c.Write(aside)
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return err
		}
		overlay := filepath.Join(aside, "overlay.json")
		if err := os.WriteFile(overlay, text, 0o666); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "go", append([]string{"run", "-overlay", overlay, "."}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

func mine(string) bool { return true }

func place(at *site.Span) *site.Site {
	s := &site.Site{Place: site.Place{Package: "x"}}
	s.ObjectsPart, s.Facts.Kind, s.Facts.Operand = 0.5, site.ToString, at
	return s
}

func TestCount(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.13\n")
	file := write(t, filepath.Join(dir, "main.go"), program)
	few := place(span(t, file, `fmt.Appendf(nil, "%d", i%7)`))
	all := place(span(t, file, `fmt.Append(nil, i)`))
	many := place(span(t, file, `fmt.Append(nil, i%50_000)`))
	again := place(span(t, file, `fmt.Append(nil, i)`)) // in another instance of a generic function
	if err := Count(t.Context(), []*site.Site{few, all, many, again}, 0, mine, dir, goRun(dir)); err != nil {
		t.Fatal(err)
	}
	if v := few.Facts.Values; v == nil || v.Looked != 1000 || v.Distinct != 7 {
		t.Errorf("few: %+v", v)
	}
	if v := all.Facts.Values; v == nil || v.Looked != 1000 || v.Distinct != 1000 || again.Facts.Values == nil {
		t.Errorf("all: %+v, %+v", v, again.Facts.Values)
	}
	if v := many.Facts.Values; v == nil || v.Looked < 88_000 || v.Looked > 100_000 || v.Distinct < 47_000 || v.Distinct > 53_000 {
		t.Errorf("many: %+v", v)
	}
}

// TestNothingToCount verifies that sites are skipped if they are too cheap, or if their code cannot
// be changed. If no site remains, the program is not built.
func TestNothingToCount(t *testing.T) {
	at := &site.Span{File: "none.go", From: 1, To: 2}
	cheap, foreign, test, other, unknown := place(at), place(at), place(at), place(at), place(nil)
	cheap.ObjectsPart, cheap.Malloc = 0.01, 0.001
	foreign.Package = "example.com/foreign"
	test.Facts.Test = true
	other.Facts.Kind = site.Concat
	run := func(context.Context, wrap.Changes, map[string]string) error {
		t.Error("the program is built")
		return nil
	}
	own := func(path string) bool { return path == "x" }
	if err := Count(t.Context(), []*site.Site{cheap, foreign, test, other, unknown}, 0.2, own, t.TempDir(), run); err != nil {
		t.Fatal(err)
	}
}

func TestFailure(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.13\n")
	file := write(t, filepath.Join(dir, "main.go"), program)
	s := place(span(t, file, `fmt.Append(nil, i)`))
	if err := Count(t.Context(), []*site.Site{s}, 0, mine, dir, goRun(dir, "fail")); !errors.Is(err, ErrNotCounted) || s.Facts.Values != nil {
		t.Errorf("%v, %v", err, s.Facts.Values)
	} else if !strings.Contains(err.Error(), "main.go:17") {
		t.Errorf("lines have other numbers: %v", err)
	}
	s.Facts.Operand.File = filepath.Join(dir, "gone.go")
	if err := Count(t.Context(), []*site.Site{s}, 0, mine, dir, goRun(dir)); !errors.Is(err, ErrNotCounted) {
		t.Errorf("a file that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Facts.Operand.File = file
	if err := Count(ctx, []*site.Site{s}, 0, mine, dir, goRun(dir)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotCounted) {
		t.Errorf("canceled: %v", err)
	}
}
