package inline_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
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
	for _, method := range []string{"Append", "At", "Len", "Slice", "All"} {
		want := regexp.MustCompile(`main\.go:\d+:\d+: inlining call to inline\.\(\*Vec\[go\.shape\..*\]\)\.` + method)
		if !want.MatchString(out) {
			t.Errorf("%s does not inline any more; go build -gcflags=-m=2 ./inline/testdata/inline says what it costs", method)
		}
	}
}

// A local Vec stays on the stack whatever is called on it.
func TestNoMethodMovesTheVecToTheHeap(t *testing.T) {
	if out := compile(t, "-m"); strings.Contains(out, "moved to heap: local") || strings.Contains(out, "moved to heap: clone") {
		t.Errorf("a local Vec escapes:\n%s", out)
	}
}

// Neither Append nor a loop over the Slice checks an element's index a second time.
func TestHotCallsCheckNoBoundTwice(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds have more")
	}
	out := compile(t, "-d=ssa/check_bce")
	for line, want := range map[string]int{
		"main.go:8:":  0, // push: its own comparison is the check
		"main.go:10:": 1, // at: that there is an element i
	} {
		if found := checksAt(out, line, "Found IsInBounds"); found != want {
			t.Errorf("%d checks of an index in %s want %d:\n%s", found, line, want, out)
		}
	}
	if found := checksAt(out, "main.go:17:", "Found IsInBounds"); found != 0 {
		t.Errorf("%d checks of an index in the body of a loop over the Slice:\n%s", found, out)
	}
}

func checksAt(out, line, kind string) (found int) {
	for l := range strings.Lines(out) {
		if strings.Contains(l, line) && strings.Contains(l, kind) {
			found++
		}
	}
	return found
}

func TestArrayOfAnotherTypeDoesNotCompile(t *testing.T) {
	out, err := exec.Command("go", "build", "-o", t.TempDir(), "./testdata/mismatch").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "[64]byte does not satisfy inline.Array[*int]") {
		t.Errorf("go build: %v\n%s", err, out)
	}
}
