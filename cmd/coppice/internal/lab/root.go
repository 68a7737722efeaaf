package lab

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// rootMarks are the names of files and folders that mark the root of a repository, the strongest
// mark first. The root is the first folder with the mark, from the working directory upwards.
var rootMarks = []string{".git", "go.work", "go.mod"}

// root returns the root of the repository, or the working directory if it is not in a repository.
// The lab looks for experiments below that folder, and runs commands in it.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, mark := range rootMarks {
		for up := dir; ; up = filepath.Dir(up) {
			if _, err := os.Stat(filepath.Join(up, mark)); err == nil {
				return up, nil
			}
			if up == filepath.Dir(up) {
				break
			}
		}
	}
	return dir, nil
}

// isOurs reports whether the folder is a checkout of Coppice.
func isOurs(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(mod), "module github.com/coppice-go/coppice\n")
}

// experiments returns the experiments of the repository, and its root. If there are none, or if a
// declaration cannot be read, it returns a usage error.
func experiments() (string, []experiment.Experiment, error) {
	dir, err := root()
	if err != nil {
		return "", nil, err
	}
	all, err := experiment.Open(dir)
	switch {
	case err != nil:
		return dir, nil, cli.Usage(err)
	case len(all) == 0:
		return dir, nil, cli.Usagef("no %s below %s; write one with a name, a title and a [[contender]] with name, build and run: "+
			"see Your own experiments in docs/LAB.md of Coppice", experiment.FileName, dir)
	}
	return dir, all, nil
}
