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

// A Mode is a build configuration in which a mutant can be detected.
type Mode string

// These are the modes. Plain is the ordinary build of users.
const (
	Plain   Mode = ""
	Race    Mode = "race"    // built with the race detector, which implies a checked build
	Checked Mode = "checked" // built with the tag coppice_checks
	Narrow  Mode = "386"     // built for a 32-bit machine
)

var modes = []Mode{Plain, Race, Checked, Narrow}

// flags returns the flags of the go command that select the mode.
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

// environment returns the environment of the go command for the mode.
func (m Mode) environment() []string {
	if m == Narrow {
		return append(os.Environ(), "GOARCH=386")
	}
	return os.Environ()
}

// A Size states how much the tests do.
type Size string

// These are the sizes. Tests of full size detect more mutants, and take many minutes in some
// packages.
const (
	AnySize   Size = ""
	UsualSize Size = "usual" // the default size, which users run
	FullSize  Size = "full"  // the size with COPPICE_FULL=1
)

var sizes = []Size{AnySize, UsualSize, FullSize}

// A setting states how tests run.
type setting struct {
	mode  Mode
	size  Size          // UsualSize or FullSize
	limit time.Duration // time limit for the tests of one package
}

// flags returns the flags of go test. Modes other than Plain are slow, so they run only the short
// tests.
//
// Compiled packages do not contain the paths of the copies, so that the build cache can share them
// between copies and runs. Test results are not cached: the go command does not track files of
// other modules that tests read, so a mutant in such a file would seem to survive.
func (s setting) flags() []string {
	flags := []string{"-json", "-count=1", "-failfast", "-vet=off", "-trimpath"}
	flags = append(flags, fmt.Sprint("-timeout=", s.limit), fmt.Sprint("-short=", s.mode != Plain))
	return append(flags, s.mode.flags()...)
}

// environment returns the environment of go test.
func (s setting) environment() []string {
	full := ""
	if s.size == FullSize {
		full = "1"
	}
	return append(s.mode.environment(), testsize.Variable+"="+full)
}

// A verdict is the outcome of one run of the tests.
type verdict struct {
	failed  string // the first test that failed, "" if none did
	of      string // package of the failed test
	unbuilt string // compiler errors, if any
	hung    bool   // the tests exceeded the time limit
}

// caught reports whether a test detected the mutant.
func (v verdict) caught() bool { return v.failed != "" && v.unbuilt == "" && !v.hung }

// event is one line of the output of go test -json.
type event struct{ Action, Package, Test, Output string }

// test runs the tests of the packages in the folder. It returns an error if the run gives no
// verdict.
func test(ctx context.Context, folder string, s setting, packages []string) (verdict, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test"}, s.flags(), packages)...)
	cmd.Dir, cmd.Env = folder, s.environment()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets go test end its children
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

// judge determines the verdict from the output of go test -json.
func judge(events []byte) (v verdict) {
	lines := bufio.NewScanner(bytes.NewReader(events))
	lines.Buffer(nil, 1<<20)
	var running []event // run events of unfinished tests, innermost last
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // output of a package, not an event of go test
		}
		switch e.Action {
		case "run":
			running = append(running, e)
		case "pass", "skip":
			running = slices.DeleteFunc(running, func(r event) bool { return r.Package == e.Package && r.Test == e.Test })
		case "build-output":
			if v.unbuilt == "" && !strings.HasPrefix(e.Output, "#") {
				v.unbuilt = strings.TrimSpace(e.Output)
			}
		case "output":
			v.hung = v.hung || strings.HasPrefix(e.Output, "panic: test timed out")
		case "fail":
			if v.failed == "" {
				v.failed, v.of = e.blamed(running), e.Package
			}
		}
	}
	return v
}

// blamed returns the name of the test that failed. If the event names no test, because the program
// ended early, blamed returns the last test that was running.
func (e event) blamed(running []event) string {
	if e.Test != "" {
		return e.Test
	}
	for _, r := range slices.Backward(running) {
		if r.Package == e.Package {
			return r.Test
		}
	}
	return e.Package
}
