// Package renames changes code that uses Coppice to the names that Coppice has now. It reads the code with the version that the code was written
// for, so that it knows what each name is, and writes what the next version wants.
//
//	table.go    the names
//	calls.go    the calls that want other arguments, too
//	renames.go  what is read and changed
package renames

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Change is what becomes of a tree.
type Change struct {
	Files map[string][]byte // by their names, what they become
	Left  []string          // places that somebody must change by hand, and why
}

// Look reads the packages of a folder that match patterns, with their tests, and says what would change. It changes nothing. The code must compile.
func Look(ctx context.Context, dir string, patterns ...string) (*Change, error) {
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Tests: true, Fset: fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	l := look{fset: fset, edits: map[string]map[edit]bool{}, left: map[string]bool{}, fields: map[*types.Package]map[*types.Var]string{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s does not compile: %v", p.PkgPath, p.Errors[0])
		}
		l.info, l.pkg = p.TypesInfo, p.Types
		for _, file := range p.Syntax {
			l.file(file)
		}
	}
	return l.change()
}

// An edit replaces a part of a file, from one offset to another.
type edit struct {
	from, to int
	text     string
	order    int // of those that insert at one offset
}

// A look collects edits. A file may be in several packages, for its tests.
type look struct {
	fset   *token.FileSet
	info   *types.Info
	pkg    *types.Package
	source []byte
	called map[*ast.Ident]bool // whose calls have been looked at
	edits  map[string]map[edit]bool
	left   map[string]bool
	fields map[*types.Package]map[*types.Var]string // with their owners
}

// file looks at a file that has been type-checked.
func (l *look) file(file *ast.File) {
	name := l.fset.Position(file.FileStart).Filename
	source, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".go") { // of cgo
		return
	}
	if ast.IsGenerated(file) {
		return // it is generated anew
	}
	l.source, l.called = source, map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			l.call(n)
		case *ast.CompositeLit:
			l.options(n)
		case *ast.Ident:
			l.ident(n)
		}
		return true
	})
}

// ident renames one name.
func (l *look) ident(id *ast.Ident) {
	object := cmp.Or(l.info.Uses[id], l.info.Defs[id])
	key := l.key(object)
	if now := names[key]; now != "" && now != id.Name {
		l.replace(id.Pos(), id.End(), now)
	}
	if calls[key] != nil && !l.called[id] && l.info.Uses[id] != nil {
		l.leave(id.Pos(), id.Name+" has other parameters now, and is no call here")
	}
	if isSmallPages(key) && l.info.Uses[id] != nil && !l.called[id] {
		l.leave(id.Pos(), "SmallPages is HugePages now, with HugePagesOff for true")
	}
}

// key is the name of an object of Coppice with its package and its owner; empty for others.
func (l *look) key(object types.Object) string {
	if object == nil || object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path(), root) {
		return ""
	}
	path := strings.TrimSuffix(object.Pkg().Path(), "_test")
	switch object := object.(type) {
	case *types.Func:
		if recv := object.Origin().Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			named, ok := types.Unalias(t).(*types.Named)
			if !ok {
				return ""
			}
			return path + "." + named.Obj().Name() + "." + object.Name()
		}
	case *types.Var:
		if object.IsField() {
			if owner := l.owner(object.Origin()); owner != "" {
				return path + "." + owner + "." + object.Name()
			}
			return ""
		}
	}
	if object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return path + "." + object.Name()
}

// owner is the type of a package that has a field; empty for fields of other structs.
func (l *look) owner(field *types.Var) string {
	pkg := field.Pkg()
	if l.fields[pkg] == nil {
		l.fields[pkg] = map[*types.Var]string{}
		for _, name := range pkg.Scope().Names() {
			if s, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					l.fields[pkg][f] = name
				}
			}
		}
	}
	return l.fields[pkg][field]
}

func (l *look) replace(from, to token.Pos, text string) { l.add(from, to, text, 0) }

func (l *look) add(from, to token.Pos, text string, order int) {
	at := l.fset.Position(from)
	if l.edits[at.Filename] == nil {
		l.edits[at.Filename] = map[edit]bool{}
	}
	l.edits[at.Filename][edit{at.Offset, l.fset.Position(to).Offset, text, order}] = true
}

// leave notes a place for somebody.
func (l *look) leave(at token.Pos, why string) {
	l.left[fmt.Sprintf("%s: %s", l.fset.Position(at), why)] = true
}

// text is the source of a node.
func (l *look) text(n ast.Node) string {
	return string(l.source[l.fset.Position(n.Pos()).Offset:l.fset.Position(n.End()).Offset])
}

// change makes the edits.
func (l *look) change() (*Change, error) {
	c := &Change{map[string][]byte{}, slices.Sorted(maps.Keys(l.left))}
	for name, set := range l.edits {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all := slices.SortedFunc(maps.Keys(set), func(a, b edit) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.order, b.order), strings.Compare(a.text, b.text))
		})
		var b []byte
		at := 0
		for _, e := range all {
			if e.from < at {
				return nil, fmt.Errorf("%s: two changes overlap at offset %d", name, e.from)
			}
			b = append(append(b, old[at:e.from]...), e.text...)
			at = e.to
		}
		b = append(b, old[at:]...)
		if formatted, err := format.Source(old); err == nil && string(formatted) == string(old) {
			if b, err = format.Source(b); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		c.Files[name] = b
	}
	return c, nil
}
