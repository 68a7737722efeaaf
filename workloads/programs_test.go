// Package workloads holds no code of its own: this test holds every program below to
// what users may expect of its command line, whatever language it is in.
package workloads

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/lab/experiment"
	"github.com/coppice-go/coppice/internal/lab/runner"
)

var programs = flag.Bool("programs", false, "build every program of the lab and try bad input on it")

// unbuilt stands for a program that was not made.
const unbuilt = "unbuilt"

// badDepths are no depths of any experiment.
var badDepths = []string{"ten", "-1", "1.5", "", "99999999999999999999", "5x"}

// A program answers bad input with one line, exit code 2 and nothing else.
func TestBadInput(t *testing.T) {
	if !*programs {
		t.Skip("it takes all languages and a minute; make contenders runs it")
	}
	all, err := experiment.Load(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	x := runner.Process{Dir: ".."}
	bins := map[string]string{}
	for _, e := range all {
		for _, c := range e.Contenders {
			if !findAll(x, c.Needs) {
				t.Errorf("%s lacks what it needs", c.Name)
				continue
			}
			build := strings.Join(c.Build, " ")
			if _, made := bins[build]; !made && build != "" {
				bins[build] = filepath.Join(t.TempDir(), "bin"+strconv.Itoa(len(bins)))
				if out := execute(t, x, c.Build, c.Env, bins[build], ""); out.Failure != "" {
					t.Errorf("%s does not build: %s: %s", c.Name, out.Failure, out.Stderr)
					bins[build] = unbuilt
				}
			}
			if bins[build] == unbuilt {
				continue
			}
			for _, depth := range badDepths {
				out := execute(t, x, c.Run, c.Env, bins[build], depth)
				lines := strings.Count(strings.TrimSuffix(string(out.Stderr), "\n"), "\n") + 1
				if out.Failure != "exit status 2" || len(out.Stdout) > 0 || len(out.Stderr) == 0 || lines != 1 {
					t.Errorf("%s, %s, depth %q: %s, printed %q and on stderr %q", e.Name, c.Name, depth, out.Failure, out.Stdout, out.Stderr)
				}
			}
		}
	}
}

// The Makefile and the declarations name one newest release of Go.
func TestNewestGoIsOne(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`GO_NEWEST := (\S+)`).FindSubmatch(makefile)
	if newest == nil {
		t.Fatal("the Makefile has no GO_NEWEST")
	}
	for _, name := range []string{"binary-trees/go/contenders.toml", "json/go/contenders.toml"} {
		declared, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(declared), `"GOTOOLCHAIN=`+string(newest[1])+`"`) {
			t.Errorf("the newest contender of %s is not built with the Makefile's GO_NEWEST, %q", name, newest)
		}
	}
}

func findAll(x runner.Process, needs []experiment.Need) bool {
	for _, need := range needs {
		if !x.Find(need) {
			return false
		}
	}
	return true
}

// execute runs a command of a declaration, without a count of workers.
func execute(t *testing.T, x runner.Process, words []string, env map[string]string, bin, depth string) runner.Outcome {
	t.Helper()
	values := strings.NewReplacer("{bin}", bin, "{depth}", depth, "{report}", filepath.Join(t.TempDir(), "report"))
	var args []string
	for _, w := range words {
		if !strings.Contains(w, "{workers}") {
			args = append(args, values.Replace(w))
		}
	}
	out, err := x.Execute(context.Background(), runner.Command{Args: args, Env: env, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
