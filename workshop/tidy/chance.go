package tidy

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// seeded is the package that provides random numbers with a fixed seed for tests.
const seeded = testkit + "/random"

// freeSeeds requires that tests use the random numbers of package random, whose seed is fixed. A
// test with a different seed in every run may fail by chance.
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
			case "testing/quick":
				all = append(all, t.complain(f, i.Pos(), "testing/quick has a seed of its own in every run; call random.Check"))
			case "hash/maphash":
				all = append(all, t.selected(f, importName(i, "maphash"), func(name string) bool { return name == "MakeSeed" },
					"is another seed in every run; draw from random.New(t)")...)
			}
		}
	}
	return all
}

// freeHashes requires that the tests of a container with random seeds for its hashes fix these
// seeds in TestMain.
func freeHashes(t *Tree) (all []Complaint) {
	fixed := map[string]bool{}
	for _, f := range t.Go {
		if f.Test {
			f.calls("random", "Hashes", func(*ast.CallExpr) { fixed[f.Package] = true })
		}
	}
	for _, f := range t.Go {
		if f.Test || fixed[f.Package] || !t.inProduct(f.Package) {
			continue
		}
		f.calls("hash", "NewSeed", func(call *ast.CallExpr) {
			if fixed[f.Package] {
				return
			}
			all = append(all, t.complain(f, call.Pos(), "a seed for hashes is another in every run of the tests; add func TestMain(m *testing.M) { random.Hashes(m) } to main_test.go"))
			fixed[f.Package] = true // one complaint per package is enough
		})
	}
	return all
}

// randomTypes contains the names of the types in math/rand and math/rand/v2.
var randomTypes = []string{"Rand", "Source", "Source64", "Zipf", "PCG", "ChaCha8"}

// importName returns the name by which the file refers to an imported package.
func importName(i *ast.ImportSpec, name string) string {
	if i.Name != nil {
		return i.Name.Name
	}
	return name
}

// selected complains about each selector expression pkg.name for which wrong(name) is true.
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
