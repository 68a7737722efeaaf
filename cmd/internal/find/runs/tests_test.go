package runs

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// module contains tests that pass each time, pass only the first time, take no time, and fail.
var module = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.24\n",
	"m_test.go": `package m

import "testing"

type node struct {
	next *node
	pad  [3]int
}

var (
	sink  *node
	calls int
)

func list(n int) {
	sink = nil
	for range n {
		sink = &node{next: sink}
	}
}

func TestList(t *testing.T) { list(20_000) }

func TestOnce(t *testing.T) {
	if calls++; calls > 1 {
		t.Fatal("it was set up before")
	}
	list(500_000)
}

func TestLong(t *testing.T) { list(500_000) }

func TestQuick(t *testing.T) {}

func TestFails(t *testing.T) { t.Fatal("so bad") }
`,
}

// built writes the module to a folder, and builds its tests.
func built(t *testing.T) *gobench.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range module {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const path = "example.org/m"
	tree := &gobench.Tree{
		Tree: trees.Tree{Name: "m", Root: dir, Dir: dir}, Folder: t.TempDir(),
		Packages: map[string]gobench.Package{path: {ImportPath: path, Dir: dir, TestGoFiles: []string{"m_test.go"}}},
		Binaries: map[string]string{path: filepath.Join(dir, "m.test")},
	}
	cmd := exec.Command("go", "test", "-c", "-o", tree.Binaries[path], ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tree
}

// seconds sets the duration of a run, and the minimum durations of a run and an operation, until
// the test ends.
func seconds(t *testing.T, run, least, operation float64) {
	a, b, c := runSeconds, leastRun, leastOperation
	t.Cleanup(func() { runSeconds, leastRun, leastOperation = a, b, c })
	runSeconds, leastRun, leastOperation = run, least, operation
}

// TestTests measures tests that can be repeated in one process, and tests that cannot.
func TestTests(t *testing.T) {
	seconds(t, 0.1, 0, 0)
	tree := built(t)
	t.Run("often", func(t *testing.T) { often(t, &Tests{Tree: tree, Package: "example.org/m", Pattern: "List"}) })
	t.Run("once", func(t *testing.T) { measureOnce(t, &Tests{Tree: tree, Package: "example.org/m", Pattern: "Once"}) })
	t.Run("once and long", func(t *testing.T) {
		seconds(t, 1e-9, 0, 0) // so that a run has one operation
		measureOnce(t, &Tests{Tree: tree, Package: "example.org/m", Pattern: "Once"})
	})
	t.Run("long", func(t *testing.T) {
		seconds(t, 1e-9, 0, 0)
		s := &Tests{Tree: tree, Package: "example.org/m", Pattern: "Long"}
		if err := s.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.Once() || s.Operations() != 1 {
			t.Errorf("once %t, %d operations", s.Once(), s.Operations())
		}
	})
	const little = "example.org/m: the tests take too little CPU time to be measured; choose others with -test, or write a benchmark"
	for _, c := range []struct {
		pattern          string
		least, operation float64
		want             string
	}{
		{"Quick", 1e9, 0, little},
		{"Quick", 0, 1e9, little},
		{"Fails", 0, 0, "example.org/m: the tests fail: m_test.go:35: so bad"},
		{"None", 0, 0, "example.org/m: no test matches -test None; go test -list . prints their names"},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			seconds(t, 0.1, c.least, c.operation)
			s := &Tests{Tree: tree, Package: "example.org/m", Pattern: c.pattern}
			err := s.Calibrate(t.Context())
			if err == nil || err.Error() != c.want || errors.Is(err, ErrNoTests) != (c.pattern == "None") {
				t.Errorf("%v", err)
			}
		})
	}
}

// measureOnce measures a test that fails if it runs twice in one process.
func measureOnce(t *testing.T, s *Tests) {
	if err := s.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.Once() || s.Operations() != 1 {
		t.Errorf("once %t, %d operations", s.Once(), s.Operations())
	}
	h, err := s.Heap(t.Context(), probe.Options{Fates: true})
	if err != nil || h.N != 1 || h.Allocs < 500_000 {
		t.Errorf("%d operations make %.0f objects each; %v", h.N, h.Allocs, err)
	}
}

// often measures tests that can be repeated in one process.
func often(t *testing.T, s *Tests) {
	if err := s.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Once() || s.Operations() < 2 {
		t.Fatalf("once %t, %d operations", s.Once(), s.Operations())
	}
	figures, err := s.Figures(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := figures["operations"]; n != float64(s.Operations()) || figures["cpu"] <= 0 || figures["cpu"]*n > figures["process"] {
		t.Errorf("figures: %v", figures)
	}
	s.Limit(5)
	s.first = 0.1 // so that a heap profile covers few operations
	h, err := s.Heap(t.Context(), probe.Options{Fates: true})
	if err != nil {
		t.Fatal(err)
	}
	// Package testing allocates a few dozen objects per test.
	if h.Rate != 1 || !h.AtEnd || math.Abs(h.Allocs-20_000) > 200 || math.Abs(h.Bytes-20_000*32) > 20_000 {
		t.Errorf("%d operations make %.0f objects and %.0f bytes each, sampled at %d", h.N, h.Allocs, h.Bytes, h.Rate)
	}
	// A short profile may contain no samples. The profile of the longest run takes at least a
	// second of CPU time.
	found := false
	for n := 100; !found && n <= mostTests; n *= 7 {
		p, err := s.Profile(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Function {
			found = found || strings.HasSuffix(f.Name, "m.list")
		}
	}
	if !found {
		t.Error("the CPU profile has nothing of the tests")
	}
}
