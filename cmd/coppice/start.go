package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// start is the format of the message that coppice prints without arguments. Its argument is the
// advice for the current folder.
const start = `coppice finds what allocation costs a Go program, makes the change that helps, and proves the gain.

%s

  coppice find                 report what allocation costs, where, and the remedy; takes a minute, changes nothing
  coppice fix                  make these changes in copies; write patches of those that are proven to help
  coppice prove -base HEAD     compare your changes with the last commit

  coppice find -main ARGS      without benchmarks: run the program with these arguments
  coppice find -heap FILE      from existing profiles, of one process or of a fleet
  coppice vet                  find misuse of the allocators in source code
  coppice lab                  compare programs that solve one problem, in any language
  coppice flat                 compile Go declarations to trees in one buffer without pointers

coppice -help lists all commands, coppice COMMAND -help the flags of one.
coppice completion -help explains shell completion.
`

// started prints a message that tells a new user what to do first. It searches the current folder
// and its subfolders for benchmarks, and builds nothing.
func started(stdout io.Writer) error {
	here := "This folder has no benchmarks. Start in the folder of a package that has some:"
	if names := benchmarks("."); len(names) > 0 {
		here = fmt.Sprintf("This folder has benchmarks (%s). Start with coppice find:", shortened(names, 3))
	} else if inModule() {
		here = "This module has no benchmarks below this folder. Write a benchmark of what is slow, or measure the program with -main:"
		if folders := benchmarkFolders(); len(folders) > 0 {
			here = fmt.Sprintf("This folder has no benchmarks, but %s. Name a package, as in coppice find %s:", haveSome(folders), folders[0])
		}
	}
	_, err := fmt.Fprintf(stdout, start, here)
	return err
}

// haveSome returns a clause that names the folders with benchmarks.
func haveSome(folders []string) string {
	if len(folders) == 1 {
		return folders[0] + " has some"
	}
	return shortened(folders, 3) + " have some"
}

// shortened returns the names, separated by commas. If there are more than most names, it returns
// only the first ones, followed by the number of omitted names.
func shortened(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// inModule reports whether the current folder is in a Go module.
func inModule() bool {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return false
}
