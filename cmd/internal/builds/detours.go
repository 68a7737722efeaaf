package builds

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
)

// This file finds cases in which the initialization of a package depends on a package that it does
// not import, directly or indirectly. That package may set a variable of the standard library that
// both use, or access a variable or function by its linker name.

// effects reports for each package of a program whether its initialization may depend on the
// initialization of other packages, or affect it.
func (s *Set) effects(g *program) map[string]bool {
	sets, detours := map[string]bool{}, map[string]bool{}
	for of, p := range g.all {
		start := s.startOf(p)
		for _, name := range start.sets {
			sets[name] = true
		}
		for _, link := range start.links {
			detours[of] = true
			for path := range g.all {
				if strings.HasPrefix(link, path+".") || strings.HasPrefix(link, prefixOf(path)+".") {
					detours[path] = true
				}
			}
		}
	}
	effects := map[string]bool{}
	for of, p := range g.all {
		start := s.startOf(p)
		effects[of] = start.effect
		for _, name := range start.keeps {
			dot := strings.LastIndexByte(name, '.')
			effects[of] = effects[of] || sets[name] || sets[name[:dot]+".*"]
		}
	}
	for _, reached := range g.reached(detours) { // the called function may call other functions
		for of := range reached {
			effects[of] = effects[of] || !goroot.Has(of)
		}
	}
	return effects
}

// findSets records the standard-library variables that a file may set, or whose addresses it takes.
func (r *startReader) findSets(file *ast.File) {
	set := func(e ast.Expr) {
		if n, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
			if v, ok := r.object(n).(*types.Var); ok && v.Pkg() != nil && goroot.Has(v.Pkg().Path()) {
				r.start.sets = append(r.start.sets, fullName(v))
			}
		}
	}
	for _, spec := range file.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); importsAll(spec) {
			r.start.sets = append(r.start.sets, imported+".*")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				set(left)
			}
		case *ast.RangeStmt:
			set(n.Key)
			set(n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set(n.X)
			}
		}
		return true
	})
}

var (
	// linkname matches a go:linkname directive. The submatches are the local name and the name in
	// another package, if there is one.
	linkname = regexp.MustCompile(`^//go:linkname\s+(\S+)(?:\s+(\S+))?\s*$`)
	// symbol matches a symbol of another package in assembly source.
	symbol = regexp.MustCompile(`([^\s,(·]+)·[^\s(]+\(SB\)`)
)

// findLinks records the linker names in the go:linkname directives of a file. It does not matter
// which of the two packages declares the variable or function. A variable of the standard library
// may also be set through such a name.
func (r *startReader) findLinks(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if found := linkname.FindStringSubmatch(c.Text); found != nil {
				r.link(found[2])
			}
		}
	}
}

// findSymbols records the linker names that an assembly file uses.
func (r *startReader) findSymbols(name string) {
	text, err := os.ReadFile(name)
	if err != nil || filepath.Ext(name) != ".s" {
		return
	}
	for _, found := range symbol.FindAllStringSubmatch(string(text), -1) {
		r.link(strings.ReplaceAll(found[1], "\u2215", "/") + ".")
	}
}

// link records the full linker name of a symbol. The name is empty if the directive makes a symbol
// of this package available to other packages.
func (r *startReader) link(full string) {
	slash := strings.LastIndexByte(full, '/') + 1
	name, _, _ := strings.Cut(full[slash:], ".")
	if of := full[:slash] + name; full != "" && goroot.Has(of) {
		r.start.sets = append(r.start.sets, of+".*")
		return
	}
	r.start.links = append(r.start.links, full)
}
