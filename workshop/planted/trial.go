package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// A Mode is a kind of build in which a bug can be detected.
type Mode string

// The modes. Plain and Usual are the ordinary build of users. The tests run in full, because some bugs are detected only then, and in their
// usual size where the full one takes many minutes.
const (
	Plain   Mode = ""
	Usual   Mode = "usual"
	Race    Mode = "race"    // with the race detector, which makes a checked build
	Checked Mode = "checked" // with the tag coppice_checks
	Narrow  Mode = "386"     // for a 32-bit machine
)

var modes = []Mode{Plain, Usual, Race, Checked, Narrow}

// flags returns the flags of the go command for the build.
func (m Mode) flags() []string {
	switch m {
	case Race:
		return []string{"-race"}
	case Checked:
		return []string{"-tags", "coppice_checks"}
	default:
		return nil
	}
}

// environment returns the environment of the go command.
func (m Mode) environment() []string {
	environment := append(os.Environ(), testsize.Variable+"="+m.size())
	if m == Narrow {
		environment = append(environment, "GOARCH=386")
	}
	return environment
}

// size says how much the tests do.
func (m Mode) size() string {
	if m == Usual {
		return ""
	}
	return "1"
}

// limit is what tests may take that others may take in so much: those in usual size start hundreds of commands.
func (m Mode) limit(others time.Duration) time.Duration {
	if m == Usual {
		return 4 * others
	}
	return others
}

// short reports whether the tests are those for slow builds.
func (m Mode) short() bool { return m != Plain && m != Usual }

// A verdict is the result of the tests.
type verdict struct {
	failed  string // the first test that failed, "" if none did
	unbuilt string // the errors of the compiler, if any
	hung    bool   // the tests exceeded the time limit
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// test runs the tests of the packages in the folder, the short ones in slow builds. It fails if there
// is no verdict.
//
// Compiled packages do not contain the paths of the copies, so that the build cache can share them
// between copies and runs.
func test(ctx context.Context, folder string, m Mode, limit time.Duration, packages []string) (verdict, error) {
	args := append([]string{"test", "-json", "-failfast", "-vet=off", "-trimpath", fmt.Sprint("-timeout=", m.limit(limit)), fmt.Sprint("-short=", m.short())}, m.flags()...)
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir, cmd.Env = folder, m.environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it ends its own children
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return verdict{}, ctx.Err()
	}
	v := judge(stdout.Bytes())
	switch {
	case err == nil && v == verdict{}:
		return v, nil
	case err != nil && v != verdict{}:
		return v, nil
	case err == nil:
		return v, errors.New("go test passes, and its events say that something failed")
	default:
		return v, fmt.Errorf("go test: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
}

// judge reads the events of go test -json.
func judge(events []byte) (v verdict) {
	lines := bufio.NewScanner(bytes.NewReader(events))
	lines.Buffer(nil, 1<<20)
	var running []string // tests, the innermost last
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // output of a package, not of go test
		}
		switch e.Action {
		case "run":
			running = append(running, e.Test)
		case "pass", "skip":
			running = slices.DeleteFunc(running, func(name string) bool { return name == e.Test })
		case "build-output":
			if v.unbuilt == "" && !strings.HasPrefix(e.Output, "#") {
				v.unbuilt = strings.TrimSpace(e.Output)
			}
		case "output":
			v.hung = v.hung || strings.HasPrefix(e.Output, "panic: test timed out")
		case "fail":
			switch {
			case v.failed != "":
			case e.Test != "":
				v.failed = e.Test
			case len(running) > 0:
				v.failed = running[len(running)-1] // the program ended in it
			default:
				v.failed = e.Package
			}
		}
	}
	return v
}
