package tidy

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// seeded is the package that seeds random tests.
const seeded = testkit + "/random"

// freeSeeds requires that tests take their random numbers from package random, whose seed is fixed. A test
// with a seed of its own in every run fails by chance.
func freeSeeds(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if !f.Test || f.Package == seeded {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			switch path {
			case "math/rand", "math/rand/v2":
				all = append(all, t.selected(f, importName(i, "rand"), func(name string) bool {
					return !strings.HasPrefix(name, "New") && !slices.Contains(randomTypes, name)
				}, "has a seed of its own in every run; draw from random.New(t)")...)
			case "pgregory.net/rapid":
				all = append(all, t.selected(f, importName(i, "rapid"), func(name string) bool { return name == "Check" },
					"has a seed of its own in every run; call random.Check")...)
			}
		}
	}
	return all
}

// randomTypes are the types of both packages math/rand.
var randomTypes = []string{"Rand", "Source", "Source64", "Zipf", "PCG", "ChaCha8"}

// importName returns the name of an imported package in the file.
func importName(i *ast.ImportSpec, name string) string {
	if i.Name != nil {
		return i.Name.Name
	}
	return name
}

// selected complains about each use of a package whose name does not please.
func (t *Tree) selected(f *GoFile, pkg string, wrong func(name string) bool, what string) (all []Complaint) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg && wrong(s.Sel.Name) {
			all = append(all, t.complain(f, s.Pos(), "%s.%s %s", pkg, s.Sel.Name, what))
		}
		return true
	})
	return all
}
