package fix

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/grammar"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// goyacc puts the generator on PATH.
func goyacc(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "golang.org/x/tools/cmd/goyacc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// generated writes a module with a grammar, lets goyacc make the parser, and says what coppice find
// would have found.
func generated(t *testing.T) Options {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/goyacc.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, MinEffect: 0.05, Show: silent{}, From: &find.Result{
		Schema: find.Schema, Target: find.Target{Package: "example.org/calc", Name: "BenchmarkParse", Unit: "operation", Dir: dir}, Answer: find.FixSites,
		Proposals: []find.Proposal{{ID: "nodes", Remedy: "slab", Title: "slab in parser for Node", Estimate: find.Estimate{CPU: 0.2, Lo: 0.15, Hi: 0.25}}},
	}}
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(f.Data)) {
			number++
			if _, function, ok := strings.Cut(strings.TrimSpace(line), "//site:"); ok {
				s := &site.Site{Place: site.Place{Package: "example.org/calc", Function: function, File: name, Line: number}}
				if !strings.HasSuffix(function, ".Parse") { // behind the rules, goyacc counts one line less
					s.Line--
				}
				if s.Objects = 1; function != "Parse" {
					s.Proposal, s.Objects, s.Bytes, s.Malloc = "nodes", 3000, 3000*48, 0.1
				}
				o.From.Sites = append(o.From.Sites, s)
			}
		}
	}
	cmd := exec.Command("go", "generate")
	cmd.Dir = dir
	t.Setenv("GOWORK", "off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(filepath.Join(dir, "y.output")); err != nil {
		t.Fatal(err)
	}
	if _, err := facts.Fill(t.Context(), facts.Options{Dir: dir}, o.From.Sites); err != nil {
		t.Fatal(err)
	}
	if o.Scratch, err = trees.NewScratch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Scratch.Close() })
	tree, err := trees.Here(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o.works = &grammar.Works{Tree: tree, Scratch: o.Scratch}
	return o
}

// An edit of a parser that goyacc has made is one of the grammar, and what goyacc makes of that is
// part of the change. A lexer is at hand behind the interface by which the parser has it.
func TestGrammarChanges(t *testing.T) {
	goyacc(t)
	o := generated(t)
	r := &Result{}
	found := o.From
	o.From = nil // its facts are of the source as it is
	steps, err := o.plan(t.Context(), found, r)
	if err != nil || len(steps) != 1 || len(steps[0].Done) != 3 || len(steps[0].Stay) != 0 {
		for _, s := range r.Steps {
			t.Log(s.Why)
		}
		for _, s := range steps {
			t.Log(s.Done, s.Stay)
		}
		t.Fatal(err)
	}
	files, err := o.sum(t.Context(), steps)
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string][]string{
		"calc.y":  {"$$ = yylex.(*parser).nodes.Alloc(Node{Op: '+', Left: $1, Right: $3})", "n := p.nodes.Alloc(Node{Value: value})"},
		"calc.go": {"yyVAL.node = yylex.(*parser).nodes.Alloc(Node{Op: '+', Left: yyDollar[1].node, Right: yyDollar[3].node})"},
		"lex.go":  {"nodes chunks[Node]"},
	} {
		for _, want := range all {
			if !strings.Contains(string(files[filepath.Join(o.Dir, name)]), want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"generate"}, {"test", "."}} { // go generate changes nothing
		cmd := exec.Command("go", args...)
		cmd.Dir = o.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if data, err := os.ReadFile(filepath.Join(o.Dir, "calc.go")); err != nil || string(data) != string(files[filepath.Join(o.Dir, "calc.go")]) {
		t.Errorf("go generate makes another calc.go (%v)", err)
	}
}

// Without its generator a file stays as it is, and with another lexer behind the interface the
// owner is not known.
func TestGrammarStays(t *testing.T) {
	goyacc(t)
	for name, test := range map[string]struct{ file, old, text, want string }{
		"edited by hand":       {"calc.go", "yyVAL.node = yyDollar[1].node", "yyVAL.node = yyDollar[1].node // so", "goyacc generates a different calc.go"},
		"a shell":              {"lex.go", "//go:generate goyacc -o calc.go calc.y", "//go:generate sh -c \"goyacc -o calc.go calc.y\"", "coppice fix does not run what the go:generate line for calc.y names"},
		"grammar is data":      {"lex.go", "// A Node is", "//go:embed calc.y\nvar source string\n\n// A Node is", "lex.go embeds calc.y"},
		"another lexer":        {"lex.go", "// A Node is", "type other struct{ parser }\n\nvar _ = yyParse(&other{})\n\n// A Node is", ""},
		"a lexer that is nil":  {"lex.go", "// A Node is", "func none() int { return yyParse((*parser)(nil)) }\n\n// A Node is", ""},
		"no lexer":             {"lex.go", "// A Node is", "func none() int { return yyParse(nil) }\n\n// A Node is", ""},
		"others have the name": {"lex.go", "// A Node is", "// Run runs a parser.\nfunc Run(l yyLexer) int { return yyParse(l) }\n\n// A Node is", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := generated(t)
			path := filepath.Join(o.Dir, test.file)
			data, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(data), test.old) {
				t.Fatal(err)
			}
			text := strings.Replace(string(data), test.old, test.text, 1)
			if strings.Contains(text, "go:embed") {
				text = strings.Replace(text, "package calc\n", "package calc\n\nimport _ \"embed\"\n", 1)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := facts.Fill(t.Context(), facts.Options{Dir: o.Dir}, o.From.Sites); err != nil {
				t.Fatal(err)
			}
			r := &Result{}
			found := o.From
			o.From = nil // its facts are of the source as it is
			steps, err := o.plan(t.Context(), found, r)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				for _, s := range steps {
					if strings.Contains(strings.Join(s.Done, "\n"), "yylex") {
						t.Errorf("changed: %q", s.Done)
					}
				}
				return
			}
			if len(steps) != 0 || len(r.Steps) != 1 || !strings.Contains(r.Steps[0].Why, test.want) {
				t.Errorf("%d steps; want %s", len(steps), test.want)
				for _, s := range r.Steps {
					t.Log(s.Why)
				}
			}
		})
	}
}

// What the words of a refusal are does not get lost on the way.
func TestRefusedBy(t *testing.T) {
	if err := refusedBy(grammar.Refused{Why: "so"}); err == nil || err.Error() != "so" || errors.As(err, new(grammar.Refused)) {
		t.Error(err)
	}
}
