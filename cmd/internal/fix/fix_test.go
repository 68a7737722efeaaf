package fix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestMain makes runs short, because no test depends on their duration.
func TestMain(m *testing.M) {
	gobench.Hasten(10)
	os.Exit(m.Run())
}

// silent ignores all progress reports.
type silent struct{}

func (silent) Stage(string)                {}
func (silent) Round(int, int, int, string) {}

// calc writes the module to a folder. It returns options with a result of coppice find that
// proposes a slab for all nodes.
func calc(t *testing.T) Options {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/calc.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	found := &find.Result{
		Schema: find.Schema, Target: find.Target{Package: "example.org/calc", Name: "BenchmarkParse", Unit: "operation", Dir: dir},
		Answer: find.FixSites, Proposals: []find.Proposal{{ID: "nodes", Remedy: "slab", Title: "slab in parser for Node", Estimate: find.Estimate{CPU: 0.2, Lo: 0.15, Hi: 0.25}}},
	}
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(f.Data)) {
			number++
			if _, function, ok := strings.Cut(strings.TrimSpace(line), "//site:"); ok {
				s := &site.Site{Place: site.Place{Package: "example.org/calc", Function: "(*parser)." + function, File: name, Line: number}}
				s.Proposal, s.Objects, s.Bytes, s.Malloc = "nodes", 3000, 3000*48, 0.1
				found.Sites = append(found.Sites, s)
			}
		}
	}
	t.Setenv("GOWORK", "off")
	if _, err := facts.Fill(t.Context(), facts.Options{Dir: dir}, found.Sites); err != nil {
		t.Fatal(err)
	}
	scratch, err := trees.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scratch.Close() })
	return Options{
		Dir: dir, Packages: []string{"."}, Bench: ".", From: found, Rounds: 7, MinEffect: 0.05,
		Equal: []prove.Check{prove.CheckTests, prove.CheckRace, prove.CheckResults}, Tool: "test", Show: silent{}, Scratch: scratch,
	}
}

// TestRun verifies that a correct change passes all checks. It does not verify the gain, which
// depends on the machine.
func TestRun(t *testing.T) {
	if !testsize.Full() {
		t.Skip("it builds with the race detector")
	}
	o := calc(t)
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Steps[0]
	if s.Proof == nil || s.Proof.Comparisons[0].Equality.Level != prove.Results || len(s.Proof.Comparisons[0].Equality.Unequal) > 0 {
		t.Fatalf("it is %s: %s; %+v", s.State, s.Why, s.Proof)
	}
	if len(s.Done) != 3 || len(s.Stay) > 0 {
		t.Errorf("changed are %q, and not %q", s.Done, s.Stay)
	}
	for _, m := range s.Proof.Comparisons[0].Subjects[0].Metrics {
		if m.Name == "allocs" && m.Ratio > 0.1 {
			t.Errorf("allocs are %.2f of what they were", m.Ratio)
		}
	}
	cmd := exec.Command("git", "apply", "--check", "-")
	cmd.Dir, cmd.Stdin, cmd.Env = o.Dir, strings.NewReader(s.Diff), append(os.Environ(), "GIT_DIR="+filepath.Join(o.Dir, "none"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the patch does not apply: %v: %s\n%s", err, out, s.Diff)
	}
	for name, want := range r.Before {
		if got, err := FileSum(filepath.Join(o.Dir, name)); err != nil || got != want {
			t.Errorf("%s is not as it was: %v", name, err)
		}
	}
}

// TestMissingBenchmark verifies that fix reports an error if the benchmark in the result of coppice
// find no longer exists. The step must not be reported as one that yielded no improvement.
func TestMissingBenchmark(t *testing.T) {
	testsize.OnlyInFull(t, "it builds with the race detector")
	o := calc(t)
	o.From.Target.Name = "BenchmarkGone"
	if _, err := Run(t.Context(), o); !errors.Is(err, prove.ErrNoBenchmark) || !strings.Contains(err.Error(), "BenchmarkGone") {
		t.Errorf("the error is %v", err)
	}
}

// TestMistakesAreStopped verifies that incorrect changes are dropped, however much they save.
func TestMistakesAreStopped(t *testing.T) {
	if !testsize.Full() {
		t.Skip("it builds with the race detector")
	}
	for name, c := range map[string]struct {
		changes []string // pairs of old and new text, in any changed file
		want    string   // substring of the difference or of the error
		check   prove.Check
	}{
		"arguments in another order": {[]string{"Left: n, Right: p.product()", "Right: n, Left: p.product()"}, "differ", prove.CheckResults},
		"a slot twice": {[]string{
			"\tc.left--\n\treturn", "\tif c.left == 3 && !c.again {\n\t\tc.again = true\n\t\treturn &c.chunk[c.left-1]\n\t}\n\tc.left--\n\treturn",
			"\tleft  uint", "\tagain bool\n\tleft  uint",
		}, "differ", prove.CheckResults},
		"shared by goroutines, in turns": {[]string{
			"p := &parser{text: text}", "turn <- true\n\tdefer func() { <-turn }()\n\tp := &shared\n\tp.text, p.at = text, 0",
			"// A parser", "var shared parser\n\nvar turn = make(chan bool, 1)\n\n// A parser",
		}, "coppice witness: parser is used by a second goroutine", prove.CheckRace},
		"in another goroutine, which recovers": {[]string{
			"\treturn p.sum()", "\tif p.number(); text == \"1\" {\n\t\tdone := make(chan bool)\n\t\tgo func() { defer close(done); defer func() { recover() }(); p.at = 0; p.number() }()\n\t\t<-done\n\t}\n\tp.at = 0\n\treturn p.sum()",
		}, "coppice witness: parser is used by a second goroutine", prove.CheckTests},
		"a copy, by go vet":     {[]string{"return p.sum()", "q := *p\n\treturn q.sum()"}, "go vet: calc.go:22:7: assignment copies lock value to q", prove.CheckTests},
		"what does not compile": {[]string{"p.at++\n", "p.at++ +\n"}, "calc.go", prove.CheckTests},
	} {
		t.Run(name, func(t *testing.T) {
			o := calc(t)
			o.Equal = []prove.Check{c.check} // the check that detects it
			planted := map[string]bool{}
			o.alter = func(files map[string][]byte) {
				for file, data := range files {
					for old, text := range pairs(c.changes) {
						if strings.Contains(string(data), old) {
							planted[old] = true
							data = []byte(strings.Replace(string(data), old, text, 1))
						}
					}
					files[file] = data
				}
			}
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(planted) != len(c.changes)/2 {
				t.Fatalf("planted are only %v", planted)
			}
			s := r.Steps[0]
			why := s.Why
			if s.Proof != nil {
				why += fmt.Sprint(s.Proof.Comparisons[0].Equality.Unequal)
			}
			if s.State != Dropped || !strings.Contains(why, c.want) || len(r.Before) > 0 {
				t.Errorf("it is %s: %s; want %s", s.State, why, c.want)
			}
		})
	}
}

// pairs returns a map from each old text to its new text.
func pairs(all []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(all); i += 2 {
		m[all[i]] = all[i+1]
	}
	return m
}
