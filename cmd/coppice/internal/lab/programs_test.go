package lab

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

var programs = flag.Bool("programs", false, "build every program of the lab and try bad input on it")

// badDepths lists depths that are invalid in every experiment. The quick test uses only the first
// two.
var badDepths = []string{"ten", "-1", "1.5", "", "99999999999999999999", "5x"}

// TestBadInput verifies that every program of the lab, in every language, exits with code 2 and
// writes one line to stderr if its input is invalid.
func TestBadInput(t *testing.T) {
	if !*programs {
		t.Skip("it takes all languages and a minute; make contenders runs it")
	}
	all, err := experiment.Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	x := runner.Machine{System: process.System{Dir: "../../../.."}}
	// Contenders that differ only in their environment run the same program, so one is enough.
	byBuild := map[string][]experiment.Contender{}
	seen := map[string]bool{}
	for _, e := range all {
		for _, c := range e.Contenders {
			build := strings.Join(c.Build, " ")
			if key := build + " " + strings.Join(c.Run, " "); !seen[key] {
				seen[key] = true
				byBuild[build] = append(byBuild[build], c)
			}
		}
	}
	depths := badDepths
	if !testsize.Full() {
		depths = depths[:2]
	}
	for _, contenders := range byBuild {
		t.Run(contenders[0].Name, func(t *testing.T) {
			t.Parallel()
			testBadInput(t, x, contenders, depths)
		})
	}
}

// testBadInput builds the program that the contenders share, and tries each way of running it.
func testBadInput(t *testing.T, x runner.Machine, contenders []experiment.Contender, depths []string) {
	bin := filepath.Join(t.TempDir(), "bin")
	for i, c := range contenders {
		if !findAll(x, c.Needs) {
			t.Fatalf("%s lacks what it needs", c.Name)
		}
		if i == 0 && len(c.Build) > 0 {
			if out := execute(t, x.System, c.Build, c.Env, bin, ""); out.Failure != "" {
				t.Fatalf("%s does not build: %s: %s", c.Name, out.Failure, out.Stderr)
			}
		}
		for _, depth := range depths {
			out := execute(t, x.System, c.Run, c.Env, bin, depth)
			lines := strings.Count(strings.TrimSuffix(string(out.Stderr), "\n"), "\n") + 1
			if out.Failure != "exit status 2" || len(out.Stdout) > 0 || len(out.Stderr) == 0 || lines != 1 {
				t.Errorf("%s, depth %q: %s, printed %q and on stderr %q", c.Name, depth, out.Failure, out.Stdout, out.Stderr)
			}
		}
	}
}

// TestNewestGoAgrees verifies that the Makefile and the declarations agree on the newest release of
// Go.
func TestNewestGoAgrees(t *testing.T) {
	makefile, err := os.ReadFile("../../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`GO_NEWEST := (\S+)`).FindSubmatch(makefile)
	if newest == nil {
		t.Fatal("the Makefile has no GO_NEWEST")
	}
	for _, name := range []string{"binary-trees/go/contenders.toml", "json/go/contenders.toml"} {
		declared, err := os.ReadFile(filepath.Join("../../../../workloads", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(declared), `"GOTOOLCHAIN=`+string(newest[1])+`"`) {
			t.Errorf("the newest contender of %s is not built with the Makefile's GO_NEWEST, %q", name, newest)
		}
	}
}

func findAll(x runner.Machine, needs []experiment.Need) bool {
	for _, need := range needs {
		if !x.Find(need) {
			return false
		}
	}
	return true
}

// execute runs a command from a declaration. It drops the argument that sets the number of workers.
func execute(t *testing.T, x process.System, words []string, env map[string]string, bin, depth string) process.Outcome {
	t.Helper()
	values := strings.NewReplacer("{bin}", bin, "{depth}", depth, "{report}", filepath.Join(t.TempDir(), "report"))
	var args []string
	for _, w := range words {
		if !strings.Contains(w, "{workers}") {
			args = append(args, values.Replace(w))
		}
	}
	out, err := x.Execute(context.Background(), process.Command{Args: args, Env: env, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
