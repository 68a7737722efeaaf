package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// greatestDepth is the depth for a million files, more than there are.
const greatestDepth = 20

// corpus returns the paths of 2^depth files of the standard library, or of all files if there
// are fewer. Tests are included, but neither commands nor test data. The files are spread
// evenly over the sorted paths.
func corpus(depth int) ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking the go command for GOROOT: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	var all []string
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == filepath.Join(src, "cmd")):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go"):
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the standard library's source: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no Go source in " + src)
	}
	chosen := make([]string, min(1<<depth, len(all)))
	for i := range chosen {
		chosen[i] = all[i*len(all)/len(chosen)]
	}
	return chosen, nil
}

// parse parses the files with their comments.
func parse(paths []string) (*token.FileSet, []*ast.File, error) {
	set := token.NewFileSet()
	files := make([]*ast.File, 0, len(paths))
	for _, path := range paths {
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	return set, files, nil
}
