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

// A pkg is a package to test.
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

	targets []string // its fuzz targets
}

// ofAll tells whether the package holds tests of the whole library.
func (p *pkg) ofAll() bool {
	path := strings.TrimPrefix(p.ImportPath, p.Module.Path)
	return path == "/internal/traps" || strings.HasPrefix(path, "/internal/torture/")
}

// rapidPath is the library that drives models; a test binary with it has its flags.
const rapidPath = "pgregory.net/rapid"

// models tells whether the package has programs against a model.
func (p *pkg) models() bool {
	return slices.Contains(p.TestImports, rapidPath) || slices.Contains(p.XTestImports, rapidPath)
}

func (p *pkg) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// short is the path without the module's.
func (p *pkg) short() string {
	if rest, below := strings.CutPrefix(p.ImportPath, p.Module.Path+"/"); below {
		return rest
	}
	return p.Name
}

// importable tells whether the package is one that users import in their programs. The
// library imports the standard library and golang.org/x/sys only; what imports more is a tool.
func (p *pkg) importable() bool {
	path := strings.TrimPrefix(p.ImportPath, p.Module.Path) + "/"
	tool := slices.ContainsFunc(p.Deps, func(dep string) bool {
		first, _, _ := strings.Cut(dep, "/")
		return strings.Contains(first, ".") && !strings.HasPrefix(dep, p.Module.Path) && !strings.HasPrefix(dep, "golang.org/x/sys/")
	})
	return p.Name != "main" && !tool && !strings.Contains(path, "/internal/") && !strings.HasPrefix(path, "/workloads/")
}

// discover finds what there is to test in the module of the current folder: the packages
// that users import, those of the module that these stand on, and what tests
// them all. So a new allocator is tested without a word here.
func discover(ctx context.Context) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,Name,Deps,TestGoFiles,XTestGoFiles,TestImports,XTestImports,Module", "./...")
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

// choose keeps those to test that have tests.
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

// fuzzTarget is the first line of one.
var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// fuzzTargets finds the fuzz targets in the package's test files.
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
