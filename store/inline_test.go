package store_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/store"
)

// compile returns what the compiler says of testdata/inline with the given flags.
func compile(t *testing.T, flags string) string {
	t.Helper()
	out, err := exec.Command("go", "build", "-o", t.TempDir(), "-gcflags="+flags, "./testdata/inline").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return string(out)
}

// The hot calls must inline into the user's code. The shaped functions are those
// that do the work; that the wrappers for method values inline would prove nothing.
func TestHotCallsInline(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds do not inline")
	}
	out := compile(t, "-m")
	for _, call := range []string{"Store.Put", "Store.New", "Store.At", "Store.Slice", "Writer.Put", "Writer.New", "Handles.Get"} {
		name, method, _ := strings.Cut(call, ".")
		want := regexp.MustCompile(`main\.go:\d+:\d+: inlining call to store\.\(\*` + name + `\[go\.shape\..*\]\)\.` + method)
		if !want.MatchString(out) {
			t.Errorf("%s does not inline any more; go build -gcflags=-m=2 ./store/testdata/inline says what it costs", call)
		}
	}
}

// Reading a record through Slice costs exactly one bounds check.
func TestSliceKeepsOneBoundsCheck(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds have more")
	}
	out := compile(t, "-d=ssa/check_bce")
	const line = "main.go:28:" // n := &nodes[r]
	found := 0
	for l := range strings.Lines(out) {
		if strings.Contains(l, line) && strings.Contains(l, "Found Is") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d bounds checks where a record is read through Slice, want 1:\n%s", found, out)
	}
}

func TestHotCallsDoNotAllocate(t *testing.T) {
	s := open[node](t, store.Options{})
	s.Put(node{})
	w := s.Writer()
	for name, f := range map[string]func(){
		"Put":        func() { s.Put(node{}) },
		"New":        func() { s.New() },
		"Make":       func() { s.Make(3) },
		"At":         func() { s.At(1) },
		"Slice":      func() { s.Slice() },
		"Writer.Put": func() { w.Put(node{}) },
	} {
		if allocs := testing.AllocsPerRun(1000, f); allocs != 0 && !checks.Enabled {
			t.Errorf("%s costs %v allocations", name, allocs)
		}
	}
}
