package reach

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/tools/go/packages"
)

// beside returns the packages of the main modules that some of them import, directly or not, and that are not among these. They know nothing of
// who makes a list, and may get it all the same.
func beside(names []*packages.Package, chosen []string) (paths []string) {
	byPath := map[string]*packages.Package{}
	for _, p := range names {
		if p.ForTest == "" && !isTestMain(p) {
			byPath[p.PkgPath] = p
		}
	}
	seen := map[string]bool{}
	var follow func(p *packages.Package)
	follow = func(p *packages.Package) {
		if p == nil || seen[p.PkgPath] {
			return
		}
		seen[p.PkgPath] = true
		if p.Module != nil && p.Module.Main && !slices.Contains(chosen, p.PkgPath) {
			paths = append(paths, p.PkgPath)
		}
		for _, i := range p.Imports {
			if i.Module != nil && i.Module.Main {
				follow(i)
			}
		}
	}
	for _, path := range chosen {
		follow(byPath[path])
	}
	slices.Sort(paths)
	return paths
}

// withLists returns all packages that may have a list of a loaded one: the loaded ones, and those beside them, which are loaded when somebody asks.
func (m *Module) withLists() (all []*packages.Package, err error) {
	if len(m.besides) == 0 {
		return m.loaded, nil
	}
	more, err := packages.Load(&packages.Config{Context: context.Background(), Mode: Mode, Dir: m.dir, Env: m.env, Fset: m.fset}, m.besides...)
	if err != nil {
		return nil, err
	}
	for _, p := range more {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	return slices.Concat(m.loaded, more), nil
}
