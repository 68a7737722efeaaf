package owners

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

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// program creates owners in every way that is recognized, each of them with a type of its own. The
// comment after a method make is the number of owners of that type. The code uses an old language
// version.
const program = `package x

type literal struct{ n *int }

func (o *literal) make() { o.n = new(int) } // 12
func (o *literal) kind() int { return *o.n }

type address struct{ n *int }

func (o *address) make() { o.n = new(int) } // 11

type made struct{ n *int }

func (o *made) make() { o.n = new(int) } // 10

type variable struct{ n *int }

func (o *variable) make() { o.n = new(int) } // 20

type reset struct{ n *int }

func (o *reset) make() { o.n = new(int) } // 11

type list struct{ n *int }

func (o *list) make() { o.n = new(int) } // 59

type part struct{ n *int }

func (o *part) make() { o.n = new(int) } // 21

type whole struct {
	a    int
	part part
}

type Tested struct{ n *int }

func (o *Tested) make() { o.n = new(int) } // 7

// Make is for the external test.
func (o *Tested) Make() { o.make() }

type never struct{ n *int }

func (o *never) make() { o.n = new(int) } // 0

var zeroReset reset

func All() {
	var again reset
	for i := 0; i < 10; i++ {
		l := literal{}
		l.make()
		if i < 2 && (literal{new(int)}).n != nil { continue }
		a := &address{} // a comment
		a.make()
		new(made).make()
		var v, w variable // a comment
		v.make(); w.make()
		again.make()
		again = zeroReset
		lists := []list{{}, {}, list{}}
		lists[0].make()
		byName := map[string]*list{"a": {}}
		byName["a"].make()
		(&whole{part: part{}}).part.make()
		var p whole
		p.part.make()
	}
	more := make([]list, 20)
	more[0].make()
	for i := 0; i < 2; i++ { new(address).make(); new(made).make(); var v, w variable; v.make(); w.make(); again = zeroReset; var p whole; p.part.make(); _ = whole{part: part{}} }
	_ = 3
	array := &[...]list{{}, {}}
	array[0].make()
	_ = len([...]list{{}})
	nested := [][]list{{{}}, {{}, {}}}
	nested[0][0].make()
	(*&[]list{{}})[0].make()
	(&(address{})).make()
	apart := struct { // a comment
		part part "a tag"
		n    [1 << 2]int
	}{n: [1 << 2]int{1}}
	apart.part.make()
}
`

// tagged is a file that selects its own language version.
const tagged = `//go:build go1.21

package x

type generic[T any] struct{ n *T }

func (o *generic[T]) make() { o.n = new(T) } // 15

func Tagged() {
	for i := min(0, 1); i < 10; i++ {
		(&generic[int]{}).make()
	}
	more := make([]generic[int], 5)
	more[0].make()
}
`

// inside is an internal test and outside an external one. Owners that tests create are counted,
// too.
const inside = `package x

import "testing"

func TestAll(t *testing.T) {
	All()
	Tagged()
	for i := 0; i < 3; i++ { o := Tested{}; o.make() }
	var o Tested
	o.make()
}
`

const outside = `package x_test

import (
	"testing"

	"example.com/x"
	"example.com/x/y"
)

func TestOutside(t *testing.T) {
	new(x.Tested).Make()
	_ = y.Tested{}
	(&(x.Tested{})).Make()
	o := &x.Tested{}
	o.Make()
}
`

// goTest returns a function that applies changes and runs the tests, which are one operation.
func goTest(dir string) Run {
	return func(ctx context.Context, c wrap.Changes, env map[string]string, _ int) (int, error) {
		aside, err := os.MkdirTemp("", "owners")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(aside)
		replace, err := c.Write(aside)
		if err != nil {
			return 0, err
		}
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			return 0, err
		}
		overlay := filepath.Join(aside, "overlay.json")
		if err := os.WriteFile(overlay, text, 0o666); err != nil {
			return 0, err
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-overlay", overlay, ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%w: %s", err, out)
		}
		return 1, nil
	}
}

func all(string) bool { return true }

// module writes the program with the given go line. It returns a site for each method make, and the
// expected numbers of owners.
func module(t *testing.T, language string) (dir string, sites []*site.Site, want []float64) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range [][2]string{
		{"go.mod", "module example.com/x\n\n" + language + "\n"}, {"x.go", program}, {"tagged.go", tagged}, {"x_test.go", inside}, {"outside_test.go", outside},
		{"y/y.go", "// Package y has a type with the name of another one.\npackage y\n\ntype Tested struct{}\n"},
	} {
		name, text := file[0], file[1]
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			_, count, ok := strings.Cut(line, ".n = new(")
			if !ok {
				continue
			}
			_, count, _ = strings.Cut(count, "// ")
			var n float64
			if _, err := fmt.Sscan(count, &n); err != nil {
				t.Fatal(err)
			}
			owner, _, _ := strings.Cut(strings.TrimPrefix(line, "func (o *"), ")")
			s := &site.Site{Place: site.Place{Package: "example.com/x", Function: "(*" + strings.TrimSuffix(owner, "[T]") + ").make", File: filepath.Join(dir, name), Line: number}}
			s.ObjectsPart, s.Objects = 0.1, 10
			sites, want = append(sites, s), append(want, n)
		}
	}
	t.Setenv("GOWORK", "off")
	if _, err := facts.Fill(t.Context(), facts.Options{Dir: dir}, sites); err != nil {
		t.Fatal(err)
	}
	return dir, sites, want
}

// newest is the go line for tests that do not depend on the language version.
const newest = "go 1.24"

// TestCount verifies the number of owners in several language versions. Without a go line, the
// version is go1.16.
func TestCount(t *testing.T) {
	for _, language := range []string{"", "go 1.13", "go 1.17", newest} {
		t.Run(language, func(t *testing.T) {
			dir, sites, want := module(t, language)
			tests := Tests{Dir: dir, Package: "example.com/x"}
			if err := Count(t.Context(), sites, all, tests, t.TempDir(), goTest(dir)); err != nil {
				t.Fatal(err)
			}
			for i, s := range sites {
				if len(s.Facts.Owners) != 1 {
					t.Errorf("%s has the owners %+v", s.Function, s.Facts.Owners)
				} else if o := s.Facts.Owners[0]; o.Begun != want[i] {
					t.Errorf("%v %s begin, want %v; %s", o.Begun, o.Type, want[i], o.Unfit())
				}
			}
		})
	}
}

// TestNothingToCount verifies that owners are not counted for sites that are cheap, in other
// modules or in tests. If nothing remains to be counted, the program is not built.
func TestNothingToCount(t *testing.T) {
	_, sites, _ := module(t, newest)
	cheap, foreign, test := sites[0], sites[1], sites[2]
	cheap.ObjectsPart, foreign.Package, test.Facts.Test = 0.004, "example.com/foreign", true
	run := func(context.Context, wrap.Changes, map[string]string, int) (int, error) {
		t.Error("the program is built")
		return 0, nil
	}
	mine := func(path string) bool { return path == "example.com/x" }
	if err := Count(t.Context(), sites[:3], mine, Tests{}, t.TempDir(), run); err != nil {
		t.Error(err)
	}
}

// TestPerOperation verifies that owners that are created during set-up are not attributed to
// operations, however many there are.
func TestPerOperation(t *testing.T) {
	for name, c := range map[string]struct {
		all, fewer  count
		want, setUp float64
	}{
		"none":                       {count{0, 100}, count{0, 50}, 0, 0},
		"of a run":                   {count{12, 1}, count{12, 1}, 12, 0},
		"of operations":              {count{300, 100}, count{150, 50}, 3, 0},
		"of operations and a set-up": {count{500, 100}, count{350, 50}, 3, 100},
		"of the set-up":              {count{200, 100}, count{200, 50}, 0.01, 100},
		"one of the set-up":          {count{2, 100}, count{2, 50}, 0.01, 1},
		"now and then":               {count{25, 100}, count{13, 50}, 0.24, 0},
		"fewer in the longer run":    {count{200, 100}, count{210, 50}, 0.01, 100},
	} {
		if got, setUp := perOperation(c.all, c.fewer); got != c.want || setUp != c.setUp {
			t.Errorf("%s: %v and %v, want %v and %v", name, got, setUp, c.want, c.setUp)
		}
	}
}

// TestFailure verifies that owners are not counted if the instrumented program does not build.
func TestFailure(t *testing.T) {
	_, sites, _ := module(t, newest)
	broken := func(context.Context, wrap.Changes, map[string]string, int) (int, error) {
		return 0, errors.New("it does not build")
	}
	if err := Count(t.Context(), sites, all, Tests{}, t.TempDir(), broken); !errors.Is(err, ErrNotCounted) || sites[0].Facts.Owners[0].Begun != 0 {
		t.Errorf("%v, %+v", err, sites[0].Facts.Owners)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Count(ctx, sites, all, Tests{}, t.TempDir(), broken); !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotCounted) {
		t.Errorf("canceled: %v", err)
	}
}
