package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A tempPlace determines which folder programs use for their temporary files.
type tempPlace int

// The user's own programs keep the user's folder for temporary files, because they may expect to
// find existing files there.
const (
	tempInScratch tempPlace = iota
	tempOfUser
)

// tempFor returns tempOfUser if a proof runs commands, and tempInScratch if it runs benchmarks.
func tempFor(commands [][]string) tempPlace {
	if len(commands) > 0 {
		return tempOfUser
	}
	return tempInScratch
}

// inScratch calls work, which builds programs, with a new scratch folder, and removes the folder
// afterwards. The go command uses the given toolchain version; if toolchain is "", it chooses the
// version itself.
//
// If ctx has ended, inScratch returns the error of ctx, because the error of a killed command would
// be misleading.
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

// versionsOf parses the value of -toolchains. If it is empty, the result contains only "", which
// stands for the toolchain that the go command chooses.
func versionsOf(toolchains string) []string {
	if all := cli.List(toolchains); len(all) > 0 {
		return all
	}
	return []string{""}
}

// setenv sets an environment variable for this process and for the processes that it starts.
// Calling restore resets the variable to its previous value.
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
