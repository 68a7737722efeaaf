package main

import (
	"errors"
	"fmt"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestMain makes the program available to scripts as the command coppice. Tests see the load of a
// quiet machine, or the load recorded in the folder that quietTest names.
func TestMain(m *testing.M) {
	folder := os.Getenv(quietTest)
	if folder == "" {
		folder, _ = filepath.Abs("testdata/quiet") // fails without a working directory
	}
	quiet.Pretend(folder)
	// The scripts compare only times that differ greatly, so short measurements suffice. A profile
	// runs until it has enough samples, however long that takes.
	gobench.Hasten(10)
	probe.Hasten(5)
	for _, o := range []*probe.Options{&probe.Full, &probe.Quick} {
		o.Longest = time.Hour
		if n, err := strconv.Atoi(os.Getenv(samplesTest)); err == nil {
			o.Samples = n
		}
	}
	testscript.Main(m, map[string]func(){"coppice": main})
}

// quietTest is the environment variable that names a folder with the load that tests see.
const quietTest = "COPPICE_TEST_LOAD"

// samplesTest is the environment variable with the minimum number of samples of a CPU profile, for
// tests that need fewer samples than the command requires.
const samplesTest = "COPPICE_TEST_SAMPLES"

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// In a script, the commands after `[!full] stop` are slow.
		Condition: func(name string) (bool, error) {
			switch name {
			case "full":
				return testsize.Full(), nil
			case "later":
				return later(), nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"example": example, "exits": exits, "wrong": wrong, "bad": bad},
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv(quietTest, filepath.Join(root, "cmd", "coppice", "testdata", "quiet"))
			env.Setenv("GOVERSION", strings.TrimPrefix(runtime.Version(), "go"))
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "HOME", "GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "somebody")
				env.Setenv("GIT_"+who+"_EMAIL", "somebody@example.org")
			}
			return ownScratch(env)
		},
	})
}

// laterGo is a Go version that may be later than the one that builds the tests. An earlier version
// cannot parse its generic methods.
const laterGo = "go1.27.4"

// later reports whether the tests are built with an earlier language version than that of laterGo,
// and laterGo is installed on this machine.
func later() bool {
	if !goversion.IsValid(runtime.Version()) || goversion.Compare(goversion.Lang(runtime.Version()), goversion.Lang(laterGo)) >= 0 {
		return false
	}
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+laterGo, "GOPROXY=off")
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == laterGo
}

// ownScratch gives each script its own cache folder, so that the script can examine what is left
// there. Scripts share only the build cache of the go command.
func ownScratch(env *testscript.Env) error {
	if env.Getenv("GOCACHE") == "" {
		out, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			return fmt.Errorf("go env GOCACHE: %w", err)
		}
		env.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	}
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
	return nil
}

// exits CODE COMMAND ARGS runs a command, which must end with the given exit code. With exit code
// 2, stderr must be a single line, which states the reason; otherwise, it must be empty.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS")
	}
	code := cli.ExitOK
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		code = ended.ExitCode()
	}
	stderr := ts.ReadFile("stderr")
	lines := 0
	if code == cli.ExitUsage {
		lines = 1
	}
	if strconv.Itoa(code) != args[0] || strings.Count(stderr, "\n") != lines {
		ts.Fatalf("exit code %d, want %s; it says\n%s", code, args[0], stderr)
	}
}

// example DOCUMENT HEADING FILE writes the first TOML block of a section of a document to a file.
func example(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	_, section, found := strings.Cut(text, "\n## "+args[1]+"\n")
	if !found {
		ts.Fatalf("%s has no section %s", args[0], args[1])
	}
	_, block, _ := strings.Cut(section, "\n```toml\n")
	block, _, _ = strings.Cut(block, "```\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(block), 0o666))
}

// wrong FILE PATTERN copies a faulty declaration to contenders.toml and runs its experiment x. The
// command must print one line to stderr that matches the pattern, and end with exit code 2.
func wrong(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs("contenders.toml"), []byte(ts.ReadFile(args[0])), 0o666))
	err := ts.Exec("coppice", "lab", "run", "x", "-runs", "1", "-warmup", "0")
	stderr := ts.ReadFile("stderr")
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitUsage {
		ts.Fatalf("%s: %v, want exit code %d; %s", args[0], err, cli.ExitUsage, stderr)
	}
	if !regexp.MustCompile(args[1]).MatchString(stderr) || strings.Count(stderr, "\n") != 1 {
		ts.Fatalf("%s: stderr %q, want one line that matches %s", args[0], stderr, args[1])
	}
}

// bad FLAG VALUE PATTERN runs experiment x with an invalid flag value. The command must print one
// line that contains the flag, the value, and a reason that matches the pattern, and end with exit
// code 2.
func bad(ts *testscript.TestScript, _ bool, args []string) {
	exits(ts, false, []string{strconv.Itoa(cli.ExitUsage), "coppice", "lab", "run", "x", args[0], args[1]})
	want := fmt.Sprintf("^coppice: invalid value %s for flag %s: %s; coppice lab run -help lists the flags\n$", regexp.QuoteMeta(strconv.Quote(args[1])), args[0], args[2])
	if stderr := ts.ReadFile("stderr"); !regexp.MustCompile(want).MatchString(stderr) {
		ts.Fatalf("stderr %q, want what matches %s", stderr, want)
	}
}

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"":                                   cli.ExitOK,
		"bal":                                cli.ExitUsage,
		"lab rnu":                            cli.ExitUsage,
		"version":                            cli.ExitOK,
		"help":                               cli.ExitOK,
		"lab run nothing":                    cli.ExitUsage,
		"lab run binary-trees -class fast":   cli.ExitUsage,
		"lab run binary-trees -contenders x": cli.ExitUsage,
		"lab run -help":                      cli.ExitOK,
		"lab report no/such/folder":          cli.ExitFailure,
	} {
		var stdout, stderr strings.Builder
		got := run(t.Context(), strings.Fields(args), &stdout, &stderr)
		if got != want || want != cli.ExitOK && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("coppice %s: exit code %d, want %d; %q", args, got, want, stderr.String())
		}
	}
}
