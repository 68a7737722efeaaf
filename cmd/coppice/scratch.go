package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A tempPlace says where programs make what they need for a time.
type tempPlace int

// Programs that the user has built keep the user's place: they may look for files of theirs there.
const (
	tempInScratch tempPlace = iota
	tempOfUser
)

// tempFor returns the place for the commands of a proof, or for its benchmarks if it has no
// commands.
func tempFor(commands [][]string) tempPlace {
	if len(commands) > 0 {
		return tempOfUser
	}
	return tempInScratch
}

// inScratch does work that builds programs, with a folder that is gone afterwards, and with one
// toolchain; "" is the one that the go command chooses.
//
// Where the context has ended, that is the error: what was in progress says something else when it
// is killed.
func inScratch(ctx context.Context, toolchain string, temp tempPlace, work func(*trees.Scratch) error) (err error) {
	if toolchain != "" {
		defer setenv("GOTOOLCHAIN", "go"+strings.TrimPrefix(toolchain, "go"))()
	}
	scratch, err := trees.NewScratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	temporary, err := scratch.Sub("go")
	if err != nil {
		return err
	}
	defer setenv("GOTMPDIR", temporary)()                    // the go command leaves files when it is killed
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // and so do benchmarks, tests and C compilers; Windows uses the latter two
		if temp == tempInScratch {
			defer setenv(name, scratch.Temp)()
		}
	}
	if err := work(scratch); err == nil || ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}

// versionsOf reads -toolchains; "" is the toolchain that the go command chooses.
func versionsOf(toolchains string) []string {
	if all := cli.List(toolchains); len(all) > 0 {
		return all
	}
	return []string{""}
}

// setenv sets a variable of the environment, for this process and those that it starts, until
// restore is called.
func setenv(name, value string) (restore func()) {
	before, set := os.LookupEnv(name)
	_ = os.Setenv(name, value) // it fails for impossible names only
	return func() {
		if set {
			_ = os.Setenv(name, before)
		} else {
			_ = os.Unsetenv(name)
		}
	}
}

// stages shows which step of a long command is in progress.
type stages struct {
	stderr io.Writer
	bar    progress.Bar
}

func (s *stages) Stage(what string) {
	s.clear()
	s.bar = progress.New(s.stderr, 1, what)
	s.bar.Add(0)
}

func (s *stages) clear() { s.bar.Clear() }
