package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run the program as the command binary-trees.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"binary-trees": main}) }

func TestScripts(t *testing.T) {
	expected, err := filepath.Abs("expected")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXPECTED", expected)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"refused": refused, "profiled": profiled},
	})
}

// refused implements the script command refused CODE PROGRAM ARGS... It runs the program and
// requires the given exit code, no output on standard output, and exactly one line on standard
// error.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refused CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("want exit code %d, got %v", want, err)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty: %q", out)
	}
	if lines := strings.Count(ts.ReadFile("stderr"), "\n"); lines != 1 {
		ts.Fatalf("want one line on standard error, got %d", lines)
	}
}

// profiled implements the script command profiled FILE TYPE [FUNCTION]. It requires that the file
// is a valid profile with samples of the given type and, if a function is given, that the profile
// names it. It does not use go tool pprof, which the go command would first have to compile on a
// new machine.
func profiled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: profiled FILE TYPE [FUNCTION]")
	}
	p, err := profile.ParseData([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(p.CheckValid())
	if !slices.ContainsFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == args[1] }) {
		ts.Fatalf("%s has no samples of type %s", args[0], args[1])
	}
	if len(args) == 3 && !slices.ContainsFunc(p.Function, func(f *profile.Function) bool {
		return strings.HasSuffix(f.Name, "."+args[2])
	}) {
		ts.Fatalf("%s does not name the function %s", args[0], args[2])
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFailedOutputIsAFailure(t *testing.T) {
	var stderr strings.Builder
	if code := run(t.Context(), []string{"6"}, failing{}, &stderr); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	if got := stderr.String(); got != "binary-trees: no space left on device\n" {
		t.Errorf("standard error: %q", got)
	}
}

// cancelling is an output that cancels the run when the first line is written.
type cancelling struct {
	strings.Builder
	cancel context.CancelFunc
}

func (c *cancelling) Write(line []byte) (int, error) {
	c.cancel()
	return c.Builder.Write(line)
}

func TestInterruptKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &cancelling{cancel: cancel}
	var stderr strings.Builder
	profile := filepath.Join(t.TempDir(), "mem.prof")
	if code := run(ctx, []string{"-stats", "-memprofile", profile, "12"}, stdout, &stderr); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	if got := stdout.String(); got != "stretch tree of depth 13\t check: 16383\n" {
		t.Errorf("standard output: %q", got)
	}
	if got := stderr.String(); !strings.Contains(got, "interrupted") || !strings.Contains(got, "GC cycles") {
		t.Errorf("standard error lacks the reason or the table: %q", got)
	}
	if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
		t.Errorf("the profile is lost: %v", err)
	}
}
