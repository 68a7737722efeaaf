package change

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/site"
)

// Packages whose import speaks against a change, because what follows from it is not seen in one package alone.
var (
	// asMemory are for packages that look at values as memory, or want them allocated one by one.
	asMemory = []string{"unsafe", "runtime", "weak", "sync/atomic"}
	// concurrent are for packages whose owners several goroutines may have.
	concurrent = []string{"sync", "sync/atomic", "net/http", "net/rpc"}
	// interleaved are for packages in which calls of one owner may take turns: a stack in it would be cut by the wrong one.
	interleaved = []string{"iter"}
)

// guarded returns the request with the sites that may be changed for a stranger, and why the others stay. Makers see one package;
// what other packages and other goroutines may do with an owner, or with the memory of a value, is not in it. So packages that
// have to do with either are left alone, and so are owners that others may copy. A Refused error says why no site is left.
func (r Request) guarded() (Request, Change, error) {
	imports := r.imports()
	imported := func(some []string) string {
		i := slices.IndexFunc(some, func(p string) bool { return imports[p] })
		if i < 0 {
			return ""
		}
		return some[i]
	}
	switch r.Remedy {
	case site.Slab, site.OneArray:
		if p := imported(asMemory); p != "" {
			return r, Change{}, refused("the package imports %s: finalizers, atomic operations and unsafe code want values that are allocated one by one", p)
		}
	}
	switch r.Remedy {
	case site.Slab, site.Scratch:
		if p := imported(concurrent); p != "" {
			return r, Change{}, refused("the package imports %s: several goroutines may have the owner", p)
		}
		if p := imported(interleaved); p != "" && r.Remedy == site.Scratch {
			return r, Change{}, refused("the package imports %s: calls of one owner may take turns", p)
		}
		if r.communicates() {
			return r, Change{}, refused("the package has channels or go statements: several goroutines may have the owner")
		}
		return r.withOwners()
	case site.Presize:
		return r.only(func(s *site.Site) bool { return certain.MatchString(s.Facts.Known) },
			"the count is no length of what is there already: a wrong one would ask for any amount of memory")
	}
	return r, Change{}, nil
}

// certain are counts that cannot be made up: the length of something, and constants.
var certain = regexp.MustCompile(`^(len\([\w.]+\)|\d+)$`)

// imports are the packages that the files import.
func (r *Request) imports() map[string]bool {
	all := map[string]bool{}
	for _, file := range r.Package.Syntax {
		for _, spec := range file.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil {
				all[p] = true
			}
		}
	}
	return all
}

// communicates tells whether the package has go statements or channels.
func (r *Request) communicates() (found bool) {
	for _, file := range r.Package.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SendStmt, *ast.ChanType, *ast.SelectStmt:
				found = true
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			}
			return !found
		})
	}
	return found
}

// withOwners leaves owners out that other packages may copy, those with exported names, but for package main; and those that may
// be nil, because a function compares its parameter with nil.
func (r Request) withOwners() (Request, Change, error) {
	var left Change
	if r.Package.Name != "main" {
		var err error
		exported := func(o site.Owner) bool { return ast.IsExported(strings.TrimPrefix(o.Type, "*")) }
		if r, left, err = r.only(func(s *site.Site) bool { return !slices.ContainsFunc(s.Facts.Owners, exported) },
			"its owner is exported: code in other packages may copy it, and two copies would hand out the same memory"); err != nil {
			return r, left, err
		}
	}
	nils := r.comparedWithNil()
	mayBeNil := func(o site.Owner) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(o.Type, "*"), "[")
		return nils[name]
	}
	r, more, err := r.only(func(s *site.Site) bool { return !slices.ContainsFunc(s.Facts.Owners, mayBeNil) },
		"its owner may be nil: a function compares it with nil, and there is no slab in nil")
	more.Left = append(left.Left, more.Left...)
	return r, more, err
}

// comparedWithNil are the types T for which a function with a receiver or parameter *T asks whether that is nil.
func (r *Request) comparedWithNil() map[string]bool {
	types := map[string]bool{}
	for _, file := range r.Package.Syntax {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			pointers := map[string]string{} // type by parameter
			notePointers(pointers, fn.Recv)
			notePointers(pointers, fn.Type.Params)
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if c, ok := n.(*ast.BinaryExpr); ok && (c.Op == token.EQL || c.Op == token.NEQ) && (isNamed(c.X, "nil") || isNamed(c.Y, "nil")) {
					for name, typ := range pointers {
						types[typ] = types[typ] || isNamed(c.X, name) || isNamed(c.Y, name)
					}
				}
				return true
			})
		}
	}
	return types
}

// notePointers adds the parameters that are pointers to named types.
func notePointers(pointers map[string]string, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		star, ok := field.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		base := star.X
		if i, ok := base.(*ast.IndexExpr); ok {
			base = i.X
		}
		if typ, ok := base.(*ast.Ident); ok {
			for _, name := range field.Names {
				pointers[name.Name] = typ.Name
			}
		}
	}
}

// isNamed reports whether an expression is this name.
func isNamed(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

// only is the request with some of its sites, and why the others stay.
func (r Request) only(some func(*site.Site) bool, why string) (Request, Change, error) {
	var fit []*site.Site
	var c Change
	for _, s := range r.Sites {
		if some(s) {
			fit = append(fit, s)
		} else {
			c.leave(s, why)
		}
	}
	if r.Sites = fit; len(fit) == 0 {
		return r, c, Refused{why}
	}
	return r, c, nil
}
