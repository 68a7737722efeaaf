package vetrun_test

import (
	"errors"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/vetrun"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
	"github.com/coppice-go/coppice/cmd/vet/useafterput"
)

// module writes the files of a txtar archive as a module to a temporary folder, and returns a plan
// that analyzes all packages of it.
func module(t *testing.T, archive string, analyzers ...*analysis.Analyzer) vetrun.Plan {
	t.Helper()
	dir := t.TempDir()
	files := txtar.Parse([]byte("-- go.mod --\nmodule example.org/m\n\ngo 1.26\n" + archive)).Files
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return vetrun.Plan{Dir: dir, Patterns: []string{"./..."}, Tests: true, Analyzers: analyzers}
}

// chain contains four packages, a to d. Each of b, c and d imports the package before it.
const chain = `
-- a/a.go --
package a

const X = 1
-- b/b.go --
package b

import "example.org/m/a"

const X = a.X
-- c/c.go --
package c

import "example.org/m/b"

const X = b.X
-- d/d.go --
package d

import "example.org/m/c"

const X = c.X
`

type passed struct{ Names string }

func (*passed) AFact() {}

// TestPackagesAreFreed verifies that the type information of a package has been freed when the next
// package is analyzed. Together with the syntax trees, it takes most of the memory.
func TestPackagesAreFreed(t *testing.T) {
	var seen []weak.Pointer[types.Info]
	alive := 0
	keeper := &analysis.Analyzer{
		Name: "keeper", Doc: "look what is still there", FactTypes: []analysis.Fact{new(passed)},
		Run: func(pass *analysis.Pass) (any, error) {
			runtime.GC()
			for _, p := range seen {
				if p.Value() != nil {
					alive++
				}
			}
			seen = append(seen, weak.Make(pass.TypesInfo))
			return nil, nil
		},
	}
	if _, err := vetrun.Run(t.Context(), module(t, chain, keeper)); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 4 || alive > 0 {
		t.Errorf("%d packages were seen, and %d times one before was still in memory", len(seen), alive)
	}
}

// TestFactsArePassedOn verifies that a package sees the object facts and package facts of its
// imports.
func TestFactsArePassedOn(t *testing.T) {
	var mutex sync.Mutex
	got := map[string][]string{}
	teller := &analysis.Analyzer{Name: "teller", Doc: "pass names on", FactTypes: []analysis.Fact{new(passed)}}
	teller.Run = func(pass *analysis.Pass) (any, error) {
		mutex.Lock()
		defer mutex.Unlock()
		x := pass.Pkg.Scope().Lookup("X")
		pass.ExportObjectFact(x, &passed{pass.Pkg.Name() + ".X"})
		pass.ExportPackageFact(&passed{pass.Pkg.Name()})
		var facts []string
		for _, imported := range pass.Pkg.Imports() {
			var fact passed
			if pass.ImportObjectFact(imported.Scope().Lookup("X"), &fact) {
				facts = append(facts, fact.Names)
			}
			if pass.ImportPackageFact(imported, &fact) {
				facts = append(facts, fact.Names)
			}
		}
		got[pass.Pkg.Name()] = facts
		if objects, packages := len(pass.AllObjectFacts()), len(pass.AllPackageFacts()); pass.Pkg.Name() == "d" && (objects != 4 || packages != 4) {
			t.Errorf("d knows facts of %d objects and %d packages, want 4 of each", objects, packages)
		}
		return nil, nil
	}
	if _, err := vetrun.Run(t.Context(), module(t, chain, teller)); err != nil {
		t.Fatal(err)
	}
	if want := map[string][]string{"a": nil, "b": {"a.X", "a"}, "c": {"b.X", "b"}, "d": {"c.X", "c"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNeverReturns verifies that facts are passed on across two packages: os.Exit never returns,
// and therefore Die does not return either.
func TestNeverReturns(t *testing.T) {
	plan := module(t, `
-- die/die.go --
package die

import "os"

func Die() { os.Exit(1) }

func Live() {}
-- user.go --
package user

import (
	"sync"

	"example.org/m/die"
)

func dies(p *sync.Pool, b *int, ok bool) int {
	if !ok {
		p.Put(b)
		die.Die()
	}
	return *b
}

func lives(p *sync.Pool, b *int, ok bool) int {
	if !ok {
		p.Put(b)
		die.Live()
	}
	return *b
}
`, useafterput.Analyzer)
	result, err := vetrun.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Findings) != 1 || result.Findings[0].Position.Line != 22 || len(result.Troubles) != 0 {
		t.Errorf("got %v, %v; want one finding in line 22", result.Findings, result.Troubles)
	}
	if real, err := filepath.EvalSymlinks(plan.Dir); err != nil || result.Root != plan.Dir && result.Root != real {
		t.Errorf("the root is %s, want %s", result.Root, plan.Dir)
	}
}

// TestFailingAnalyzer verifies what Run reports if the analyzer returns an error for one package.
func TestFailingAnalyzer(t *testing.T) {
	fails := &analysis.Analyzer{Name: "fails", Doc: "fail in c", Run: func(pass *analysis.Pass) (any, error) {
		if pass.Pkg.Name() == "c" {
			return nil, errors.New("c is not liked")
		}
		return nil, nil
	}}
	result, err := vetrun.Run(t.Context(), module(t, chain, fails))
	if err != nil || len(result.Troubles) != 2 {
		t.Fatalf("%v, %v", result.Troubles, err)
	}
	if c := result.Troubles[0]; c.Package != "example.org/m/c" || len(c.Mistakes) != 1 || !strings.Contains(c.Mistakes[0].Text, "fails: c is not liked") {
		t.Errorf("got %+v", c)
	}
}

// TestPanickingAnalyzer verifies that a panic of the analyzer in one package is reported, and that
// the findings in an independent package are kept.
func TestPanickingAnalyzer(t *testing.T) {
	panics := &analysis.Analyzer{Name: "panics", Doc: "panic in a", Run: func(pass *analysis.Pass) (any, error) {
		if pass.Pkg.Name() == "a" {
			panic("no a")
		}
		pass.Reportf(pass.Files[0].Package, "seen")
		return nil, nil
	}}
	result, err := vetrun.Run(t.Context(), module(t, "-- a/a.go --\npackage a\n-- b/b.go --\npackage b\n", panics))
	if err != nil || len(result.Troubles) != 1 || len(result.Findings) != 1 {
		t.Fatalf("%v, %v, %v", result.Findings, result.Troubles, err)
	}
	if text := result.Troubles[0].Mistakes[0].Text; !strings.HasPrefix(text, "panics: a bug in the rule: no a; ") {
		t.Errorf("the trouble is %q", text)
	}
}

// TestLineDirectives analyzes generated code with a line directive without a column. The finding
// must have the position given by the directive, and no fix, because a fix would change the
// generated file.
func TestLineDirectives(t *testing.T) {
	plan := module(t, `
-- y.go --
package y

//line grammar.y:10
func y(in []int) []string {
	var out []string
	for range in {
		out = append(out, "x")
	}
	return out
}
`, slicegrowth.Analyzer)
	result, err := vetrun.Run(t.Context(), plan)
	if err != nil || len(result.Troubles) != 0 || len(result.Findings) != 1 {
		t.Fatalf("%v, %v, %v", result.Findings, result.Troubles, err)
	}
	f := result.Findings[0]
	if filepath.Base(f.Position.Filename) != "grammar.y" || f.Position.Line != 11 || f.Position.Column != 0 || len(f.Fix) != 0 {
		t.Errorf("got %+v", f)
	}
}

// TestOldLanguage analyzes a module whose Go version does not have package slices. The finding must
// suggest only what that version supports, and must not have a fix.
func TestOldLanguage(t *testing.T) {
	plan := module(t, `
-- old.go --
package old

func old(in []int) []string {
	var out []string
	for range in {
		out = append(out, "x")
	}
	return out
}
`, slicegrowth.Analyzer)
	if err := os.WriteFile(filepath.Join(plan.Dir, "go.mod"), []byte("module example.org/m\n\ngo 1.13\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := vetrun.Run(t.Context(), plan)
	if err != nil || len(result.Findings) != 1 || len(result.Troubles) != 0 {
		t.Fatalf("%v, %v, %v", result.Findings, result.Troubles, err)
	}
	if f := result.Findings[0]; len(f.Fix) != 0 || strings.Contains(f.Message, "slices.Grow") || !strings.Contains(f.Message, "make with a capacity of len(in)") {
		t.Errorf("got %+v", f)
	}
}

// BenchmarkRun analyzes two packages of this repository with their tests.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vetrun.Run(b.Context(), vetrun.Plan{Dir: "../../..", Patterns: []string{"./slab", "./store"}, Tests: true, Analyzers: []*analysis.Analyzer{useafterput.Analyzer}}); err != nil {
			b.Fatal(err)
		}
	}
}
