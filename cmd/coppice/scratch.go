package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A tempPlace selects the folder for temporary files of programs.
type tempPlace int

// The user's own programs keep the user's folder for temporary files, because they may expect their
// files there.
const (
	tempInScratch tempPlace = iota
	tempOfUser
)

// tempFor returns the tempPlace for the commands of a proof, or for its benchmarks if it has no
// commands.
func tempFor(commands [][]string) tempPlace {
	if len(commands) > 0 {
		return tempOfUser
	}
	return tempInScratch
}

// inScratch calls the function work, which builds programs, with a scratch folder that is removed
// afterwards, and with one toolchain; "" selects the toolchain that the go command chooses.
//
// If the context has ended, its error is returned: the error of the killed command would mislead.
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
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // benchmarks, tests and C compilers leave files, too; Windows uses TMP and TEMP
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

// setenv sets an environment variable, for this process and the processes that it starts, until
// restore is called.
func setenv(name, value string) (restore func()) {
	before, set := os.LookupEnv(name)
	_ = os.Setenv(name, value) // it only fails for invalid names
	return func() {
		if set {
			_ = os.Setenv(name, before)
		} else {
			_ = os.Unsetenv(name)
		}
	}
}
