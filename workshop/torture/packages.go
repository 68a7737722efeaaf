package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A pkg is a package to be tested.
type pkg struct {
	ImportPath   string
	Dir          string
	Name         string
	Deps         []string
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
	Module       struct{ Path string }

	root    string   // module path of the library
	targets []string // names of the package's fuzz targets
}

// path returns the folder of the package relative to the root of the repository, or "" for the root
// itself.
func (p *pkg) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.root), "/")
}

// ofAll reports whether the package contains tests of the whole library.
func (p *pkg) ofAll() bool {
	return p.path() == "workshop/traps" || p.path() == "workshop/profiles" || strings.HasPrefix(p.path(), "workshop/torture/")
}

// rapidPath is the import path of the library that generates the random programs to compare with
// models. The library adds its own flags to test binaries.
const rapidPath = "pgregory.net/rapid"

// models reports whether the package has tests that compare random programs with a model.
func (p *pkg) models() bool {
	return slices.Contains(p.TestImports, rapidPath) || slices.Contains(p.XTestImports, rapidPath)
}

func (p *pkg) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// short returns the name of the package in messages.
func (p *pkg) short() string {
	if p.path() == "" {
		return p.Name
	}
	return p.path()
}

// importable reports whether users can import the package. It must be in the module of the library
// or in the flat module, and must not be internal or a command.
func (p *pkg) importable() bool {
	return (p.Module.Path == p.root || p.Module.Path == p.root+"/flat") && p.Name != "main" && !strings.Contains("/"+p.path()+"/", "/internal/")
}

// discover finds the packages to test in the repository that contains the current folder: the
// packages that users can import, their dependencies in the repository, and the tests of the whole
// library. Thus, a new allocator is tested without a change here.
func discover(ctx context.Context) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,Name,Deps,TestGoFiles,XTestGoFiles,TestImports,XTestImports,Module", "./...", "./flat/...", "./workshop/...")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	var all []*pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := decoder.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("listing the packages: %w", err)
		}
		all = append(all, p)
	}
	for _, p := range all {
		p.root = all[0].Module.Path // ./... is the library, and comes first
	}
	chosen := choose(all)
	for _, p := range chosen {
		if p.targets, err = fuzzTargets(p); err != nil {
			return nil, err
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no packages here; run it at the root of the repository")
	}
	return chosen, nil
}

// choose returns the packages that users can import, the dependencies of these, and the packages
// with tests of the whole library. It omits packages without tests.
func choose(all []*pkg) []*pkg {
	wanted := map[string]bool{}
	for _, p := range all {
		if p.importable() || p.ofAll() {
			wanted[p.ImportPath] = true
		}
		if p.importable() {
			for _, below := range p.Deps {
				wanted[below] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p *pkg) bool { return !wanted[p.ImportPath] || !p.hasTests() })
}

// fuzzTarget matches the declaration of a fuzz target.
var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// fuzzTargets returns the names of the fuzz targets in a package's test files.
func fuzzTargets(p *pkg) (targets []string, err error) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		for _, match := range fuzzTarget.FindAllSubmatch(source, -1) {
			targets = append(targets, string(match[1]))
		}
	}
	return targets, nil
}
