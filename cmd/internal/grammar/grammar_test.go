package grammar_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/grammar"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// base is a module with a grammar, in txtar format. Tests replace single lines of it.
const base = `-- go.mod --
module example.org/m

go 1.26
-- gen.go --
package m

//go:generate goyacc -o y.go y.y

type node struct{ left *node }

type lexer struct{}

func (lexer) Lex(*yySymType) int { return 0 }

func (lexer) Error(string) {}
-- y.y --
%{
package m
%}

%union { node *node }

%type <node> all one

%%

all: one { $$ = $1 }

one:
    {
        $$ = nil // none
        $$ = &node{left: $$} // one
    }
|   one one { $$ = &node{$1} } | one { $$ = &node{$1} }

%%

func behind() string { return "$1" }
`

// bin builds goyacc, and returns the folder that contains it.
func bin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "golang.org/x/tools/cmd/goyacc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// module writes the module base, after the given replacements, and runs goyacc to generate y.go.
func module(t *testing.T, goyacc string, replace ...string) (w *grammar.Works, dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "m")
	text := strings.NewReplacer(replace...).Replace(base)
	for _, f := range txtar.Parse([]byte(text)).Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	cmd := exec.Command(filepath.Join(goyacc, "goyacc"), "-o", "y.go", "y.y")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(filepath.Join(dir, "y.output")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	scratch, err := trees.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scratch.Close() })
	tree, err := trees.Here(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return &grammar.Works{Tree: tree, Scratch: scratch}, dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func onPath(t *testing.T, dir string) {
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// source returns the Source of y.go in the unchanged module, with goyacc on PATH.
func source(t *testing.T) (*grammar.Works, *grammar.Source) {
	t.Helper()
	tools := bin(t)
	onPath(t, tools)
	w, dir := module(t, tools)
	s, why, err := w.Of(t.Context(), filepath.Join(dir, "y.go"))
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	return w, s
}

// TestMove verifies that an edit of the generated file becomes an edit of the grammar, in the
// grammar's notation and with the import that it needs, and that the generator then produces the
// edited file.
func TestMove(t *testing.T) {
	w, s := source(t)
	data := read(t, s.File)
	const old, text = "&node{left: yyVAL.node}", "made(strings.ToUpper(``),\n\t\t\t\tyyVAL.node)"
	at := strings.Index(data, old)
	if why := s.Stays(at, at+len(old)); why != "" {
		t.Fatal(why)
	}
	moved, err := s.Move([]grammar.Edit{{Start: at, End: at + len(old), Text: text, Witness: text}}, map[string]string{"strings": ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := read(t, s.Grammar)
	for i := len(moved) - 1; i >= 0; i-- { // the import comes first in the file
		for j := range moved[:i] {
			if moved[j].Start < moved[i].Start {
				moved[i], moved[j] = moved[j], moved[i]
			}
		}
	}
	for _, e := range moved {
		changed = changed[:e.Start] + e.Text + changed[e.End:]
	}
	if !strings.Contains(changed, "$$ = made(strings.ToUpper(``),") || !strings.Contains(changed, "$$) // one") || !strings.Contains(changed, "\"strings\"\n") {
		t.Errorf("the grammar is\n%s", changed)
	}
	edited := strings.Replace(strings.Replace(data, old, text, 1), "import __yyfmt__ \"fmt\"", "import __yyfmt__ \"fmt\"\nimport \"strings\"", 1)
	files := map[string][]byte{s.File: []byte(edited), s.Grammar: []byte(changed)}
	if err := w.Finish(t.Context(), files); err != nil || !strings.Contains(string(files[s.File]), "//line y.y:") {
		t.Fatalf("%v\n%s", err, files[s.File])
	}
	if read(t, s.File) != data {
		t.Error("the file of the tree has changed")
	}
	files = map[string][]byte{s.File: []byte(strings.Replace(edited, "// none", "// other", 1)), s.Grammar: []byte(changed)}
	if err := w.Finish(t.Context(), files); !errors.As(err, new(grammar.Refused)) {
		t.Errorf("another file passes: %v", err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestStays verifies that an expression is not moved if the grammar does not contain it, or
// contains it more than once in a line, and that an edit outside the grammar's code is refused.
func TestStays(t *testing.T) {
	_, s := source(t)
	data := read(t, s.File)
	for text, want := range map[string]string{
		"&node{yyDollar[1].node}": "y.y:18 has more than one action with these words",
		"&yyParserImpl{}":         "the expression is not from y.y",
		"\"$1\"":                  "",
	} {
		at := strings.Index(data, text)
		if got := s.Stays(at, at+len(text)); at < 0 || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	at := strings.Index(data, "type yyParserImpl struct {")
	if _, err := s.Move([]grammar.Edit{{Start: at, End: at, Text: "var a int\n"}}, nil, nil); !errors.As(err, new(grammar.Refused)) {
		t.Errorf("%v", err)
	}
}

// more is the source of a generator that writes more.go in addition to y.go.
const more = `package main

import "os"

func main() {
	data, err := os.ReadFile("y.go")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"y.go", "more.go"} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			panic(err)
		}
	}
}
`

// TestRefused verifies that a generated file is left alone if its generator is unknown or missing,
// writes other files too, or does not reproduce the file.
func TestRefused(t *testing.T) {
	tools := bin(t)
	const line = "//go:generate goyacc -o y.go y.y"
	for name, test := range map[string]struct {
		replace []string
		prepare func(t *testing.T, dir string)
		want    string
	}{
		"other tool":     {replace: []string{line, "//go:generate yacc -o y.go y.y"}, want: "coppice fix does not run"},
		"shell":          {replace: []string{line, "//go:generate sh -c \"goyacc -o y.go y.y\""}, want: "coppice fix does not run"},
		"command behind": {replace: []string{line, "//go:generate goyacc -o y.go y.y; touch z"}, want: "coppice fix does not run"},
		"variable":       {replace: []string{line, "//go:generate goyacc -o $OUT y.y"}, want: "coppice fix does not run"},
		"unknown flag":   {replace: []string{line, "//go:generate goyacc -x -o y.go y.y"}, want: "does not support the flag -x of goyacc"},
		"far away":       {replace: []string{line, "//go:generate goyacc -v ../log -o y.go y.y"}, want: "-v must name a file in its folder"},
		"go run flags":   {replace: []string{line, "//go:generate go run -exec=x goyacc -o y.go y.y"}, want: "coppice fix does not run"},
		"no formatter":   {replace: []string{line, line + "\n//go:generate sed -i s/a/b/ y.go"}, want: "does not run what changes y.go after its generator"},
		"writes more":    {replace: []string{line, "//go:generate go run ./goyacc -o y.go y.y"}, prepare: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "goyacc", "main.go"), more) }, want: "also writes more.go"},
		"by hand": {prepare: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "y.go"), strings.Replace(read(t, filepath.Join(dir, "y.go")), "// none", "// other", 1))
		}, want: "generates a different y.go"},
		"outside": {prepare: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "..", "y.y"), read(t, filepath.Join(dir, "y.y")))
			write(t, filepath.Join(dir, "y.go"), strings.ReplaceAll(read(t, filepath.Join(dir, "y.go")), "//line y.y", "//line ../y.y"))
		}, want: "outside the tree"},
		"gone": {prepare: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "y.y")); err != nil {
				t.Fatal(err)
			}
		}, want: "y.y, which does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			onPath(t, tools)
			w, dir := module(t, tools, test.replace...)
			if test.prepare != nil {
				test.prepare(t, dir)
			}
			if _, why, err := w.Of(t.Context(), filepath.Join(dir, "y.go")); err != nil || !strings.Contains(why, test.want) {
				t.Errorf("%q, %v; want %s", why, err, test.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "more.go")); err == nil {
				t.Error("the generator ran in the tree")
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		w, dir := module(t, tools)
		if _, err := exec.LookPath("goyacc"); err == nil {
			t.Skip("goyacc is on PATH")
		}
		const want = "goyacc is not on PATH: go install golang.org/x/tools/cmd/goyacc@latest"
		if _, why, err := w.Of(t.Context(), filepath.Join(dir, "y.go")); err != nil || why != want {
			t.Errorf("%q, %v; want %s", why, err, want)
		}
	})
}

// TestHeader verifies that the header of a generated file is enough to find its grammar and its
// generator if no go:generate line exists.
func TestHeader(t *testing.T) {
	tools := bin(t)
	onPath(t, tools)
	w, dir := module(t, tools, "//go:generate goyacc -o y.go y.y", "// A lexer.")
	if _, why, err := w.Of(t.Context(), filepath.Join(dir, "y.go")); err != nil || why != "" {
		t.Error(why, err)
	}
}
