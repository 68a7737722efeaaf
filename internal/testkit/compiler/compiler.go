// Package compiler tests how the Go compiler compiles hot code: which calls it inlines, what it
// moves to the heap, and where it checks bounds. It compiles the program in the folder
// testdata/inline of the tested package.
package compiler

import (
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Says returns the compiler's output for testdata/inline, compiled with the given flags.
func Says(t *testing.T, flags string) string {
	t.Helper()
	out, err := Go("build", "-o", t.TempDir(), "-gcflags="+flags, "./testdata/inline").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return string(out)
}

// Go returns a command that runs the go command without the runtime settings of the tests. With a
// GOGC for continuous garbage collection, for example, the compiler would take minutes.
func Go(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOGC=", "GODEBUG=", "GOMAXPROCS=")
	return cmd
}

// ChecksPointers reports whether the test binary was compiled with -d=checkptr, which prevents some
// inlining and makes some stack variables escape to the heap.
func ChecksPointers() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-gcflags" && strings.Contains(s.Value, "checkptr")
	})
}

// MustInline fails the test if calls to the given generic functions, such as "arena.New", or
// methods, such as "store.Store.Alloc", are not inlined. It checks the shaped functions, which do
// the work, because inlining the wrappers for method values would prove nothing.
func MustInline(t *testing.T, methods ...string) {
	t.Helper()
	out := Says(t, "-m")
	for _, method := range methods {
		name := strings.Split(method, ".")
		called := name[0] + `\.` + name[1] + `\[go\.shape\..*\]`
		if len(name) == 3 {
			called = name[0] + `\.\(\*` + name[1] + `\[go\.shape\..*\]\)\.` + name[2]
		}
		pattern := `main\.go:\d+:\d+: inlining call to ` + called + `(\n|$)`
		if !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("%s does not inline any more; go build -gcflags=-m=2 ./%s/testdata/inline says what it costs", method, name[0])
		}
	}
}

// BoundsChecks returns the number of bounds checks that the compiler generated for a line of
// testdata/inline/main.go. kind is the compiler's message, such as "Found IsInBounds".
func BoundsChecks(t *testing.T, line, kind string) (found int) {
	t.Helper()
	for l := range strings.Lines(Says(t, "-d=ssa/check_bce")) {
		if strings.Contains(l, "main.go:"+line+":") && strings.Contains(l, kind) {
			found++
		}
	}
	return found
}
