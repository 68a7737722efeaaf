// Package renames updates code that uses Coppice to the current names. It reads the code with the
// version that the code was written for, so that it can resolve each name, and writes the names of
// the next version.
//
//	table.go       the names
//	calls.go       the calls whose arguments also change
//	moves.go       the names that are in another package, and imports
//	interfaces.go  interfaces that require the old names
//	renames.go     what is read and changed
package renames

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// A Change contains the new contents of the changed files, and the positions that must be changed
// by hand.
type Change struct {
	Files map[string][]byte // new contents by name
	Left  []Place           // that must be changed by hand
}

// A Place is a position that Look does not change, with the reason.
type Place struct {
	File         string
	Line, Column int // 0 for all of the file
	Why          string
}

// String formats the position as compilers do, followed by the reason.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Why
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Why)
}

// mode selects the information that Look loads about packages.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo |
	packages.NeedSyntax | packages.NeedModule

// Look reads the packages in a folder that match the patterns, with their tests, and returns the
// changes that the code needs. It writes nothing. The code must compile.
func Look(ctx context.Context, dir string, patterns ...string) (*Change, error) {
	if err := inModule(ctx, dir); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{Context: ctx, Dir: dir, Tests: true, Fset: fset, Mode: mode}, patterns...)
	if err != nil {
		return nil, err
	}
	l := look{fset: fset, edits: map[string]map[edit]bool{}, left: map[Place]bool{}, fields: map[*types.Package]map[*types.Var]string{}}
	for _, p := range loaded {
		switch {
		case p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test"):
			continue // the go command writes this package
		case len(p.Errors) > 0:
			return nil, fmt.Errorf("%s does not compile: %s; correct it first, nothing was changed", p.PkgPath, oneLine(p.Errors))
		case p.Module == nil || !p.Module.Main:
			return nil, fmt.Errorf("%s belongs to another module, which is not changed; name packages of this module", p.PkgPath)
		}
		l.look(p)
	}
	return l.change()
}

// inModule returns an error if dir is not in a module.
func inModule(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "env", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	if name := strings.TrimSpace(string(out)); name == "" || name == os.DevNull {
		return errors.New("this folder is not in a module; change to a folder in one")
	}
	return nil
}

// oneLine returns the first informative error of a package with its position, on one line. The go
// command repeats that error on more lines, below a title.
func oneLine(all []packages.Error) string {
	err := all[0]
	if i := slices.IndexFunc(all, func(e packages.Error) bool { return e.Kind == packages.TypeError || e.Kind == packages.ParseError }); i >= 0 {
		err = all[i]
	}
	first, _, _ := strings.Cut(strings.TrimSpace(err.Msg), "\n")
	if err.Pos == "" || err.Pos == "-" {
		return first
	}
	return err.Pos + ": " + first
}

// An edit replaces the text between two offsets of a file.
type edit struct {
	from, to int
	text     string
	order    int // the order of edits that insert at one offset
}

// A look collects the edits of all files. It may inspect a file several times, because a package
// and its test variants contain the same files.
type look struct {
	fset   *token.FileSet
	info   *types.Info
	pkg    *types.Package
	name   string // of the file
	source []byte
	scope  *types.Scope
	called map[*ast.Ident]bool // whose calls have been inspected
	edits  map[string]map[edit]bool
	left   map[Place]bool
	fields map[*types.Package]map[*types.Var]string // with their owners

	generated bool // the file is
}

// look inspects a type-checked package. It leaves files that were not type-checked to the user.
func (l *look) look(p *packages.Package) {
	l.info, l.pkg = p.TypesInfo, p.Types
	seen := map[string]bool{}
	for _, file := range p.Syntax {
		seen[l.at(file.FileStart).Filename] = true
		l.file(file)
	}
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
		if !seen[name] {
			l.unread(name)
		}
	}
	l.interfaces(p)
}

// unread leaves a file that was not type-checked to the user if it contains names that changed.
// These names may also belong to other packages.
func (l *look) unread(name string) {
	if !strings.HasSuffix(name, ".go") {
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	old, has := map[string]bool{}, map[string]bool{}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(calls)), slices.Collect(maps.Keys(moved)), smallPages) {
		if hasImport(file, key) {
			old[key[strings.LastIndex(key, ".")+1:]] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && old[id.Name] {
			has[id.Name] = true
		}
		return true
	})
	if len(has) > 0 {
		l.left[Place{File: name, Why: "it was not read, because of build constraints or cgo, and has " +
			strings.Join(slices.Sorted(maps.Keys(has)), ", ") + "; change it by hand if they belong to Coppice"}] = true
	}
}

// hasImport reports whether a file imports the package of key, a qualified name.
func hasImport(file *ast.File, key string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(i.Path.Value)
		return strings.HasPrefix(key, path+".")
	})
}

// file collects the edits of a type-checked file.
func (l *look) file(file *ast.File) {
	name := l.at(file.FileStart).Filename
	source, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".go") { // of cgo
		return
	}
	l.name, l.source, l.scope, l.called = name, source, l.info.Scopes[file], map[*ast.Ident]bool{}
	l.generated = ast.IsGenerated(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			l.call(n)
		case *ast.CompositeLit:
			l.options(n)
		case *ast.SelectorExpr:
			l.promoted(n)
		case *ast.Ident:
			l.ident(n)
		}
		return true
	})
	l.moves(file)
}

// promoted leaves a promoted method or field to the user if the type already has a method or field
// with the new name.
func (l *look) promoted(n *ast.SelectorExpr) {
	s := l.info.Selections[n]
	if s == nil || len(s.Index()) == 1 {
		return
	}
	now := names[l.key(s.Obj())]
	if now == "" {
		return
	}
	if other, _, _ := types.LookupFieldOrMethod(s.Recv(), true, l.pkg, now); other != nil {
		l.called[n.Sel] = true
		l.leave(n.Sel.Pos(), n.Sel.Name+" is "+now+" now, but the type has another "+now)
	}
}

// meant returns the object that name would denote at the position of an identifier, or nil if there
// is none.
func (l *look) meant(at *ast.Ident, name string) types.Object {
	inner := l.scope.Innermost(at.Pos())
	if inner == nil {
		inner = l.scope
	}
	_, object := inner.LookupParent(name, at.Pos())
	return object
}

// taken reports whether the unqualified name denotes an object that Coppice does not declare, at
// the position of an identifier.
func (l *look) taken(at *ast.Ident, name string) bool {
	object := l.meant(at, name)
	return object != nil && l.key(object) == ""
}

// ident renames an identifier if the object that it denotes was renamed.
func (l *look) ident(id *ast.Ident) {
	object := cmp.Or(l.info.Uses[id], l.info.Defs[id])
	key := l.key(object)
	if now := names[key]; now != "" && now != id.Name && (!l.called[id] || calls[key] != nil) {
		if l.isUnqualified(id, object) && l.taken(id, now) {
			l.leave(id.Pos(), id.Name+" is "+now+" now, but the file uses that name for something else")
		} else {
			l.replace(id.Pos(), id.End(), now)
		}
	}
	if l.changeOf(l.info.Uses[id]) != nil && !l.called[id] {
		l.leave(id.Pos(), id.Name+" has other parameters now, and is not called here")
	}
	if isSmallPages(key) && l.info.Uses[id] != nil && !l.called[id] {
		l.leave(id.Pos(), "SmallPages is HugePages now, with HugePagesOff for true")
	}
	if why := gone[key]; why != "" && l.info.Uses[id] != nil {
		l.leave(id.Pos(), id.Name+" was removed: "+why)
	}
}

// isUnqualified reports whether id names an object of another package without the name of the
// package, because of a dot import.
func (l *look) isUnqualified(id *ast.Ident, object types.Object) bool {
	return object.Pkg() != l.pkg && object.Parent() == object.Pkg().Scope() && l.scope.Lookup(id.Name) == object
}

// key returns the qualified name of an object of Coppice, which includes its package and its owner.
// It returns "" for other objects.
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

// owner returns the name of the package-level type that declares a field; it returns "" for fields
// of other structs.
func (l *look) owner(field *types.Var) string {
	pkg := field.Pkg()
	if l.fields[pkg] == nil {
		l.fields[pkg] = map[*types.Var]string{}
		for _, name := range pkg.Scope().Names() {
			t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || t.IsAlias() {
				continue
			}
			if s, ok := t.Type().Underlying().(*types.Struct); ok {
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
	at := l.at(from)
	if l.generated {
		l.left[Place{File: at.Filename, Why: "it is generated, and has old names; generate it again after the update"}] = true
		return
	}
	if l.edits[at.Filename] == nil {
		l.edits[at.Filename] = map[edit]bool{}
	}
	l.edits[at.Filename][edit{at.Offset, l.at(to).Offset, text, order}] = true
}

// leave records a position that must be changed by hand.
func (l *look) leave(at token.Pos, why string) {
	p := l.at(at)
	l.left[Place{p.Filename, p.Line, p.Column, why}] = true
}

// at returns a position in the actual file, regardless of //line directives.
func (l *look) at(pos token.Pos) token.Position { return l.fset.PositionFor(pos, false) }

// text returns the source text of a node.
func (l *look) text(n ast.Node) string {
	return string(l.source[l.at(n.Pos()).Offset:l.at(n.End()).Offset])
}

// change applies the edits to the contents of the files, and returns the result.
func (l *look) change() (*Change, error) {
	c := &Change{map[string][]byte{}, slices.SortedFunc(maps.Keys(l.left), func(a, b Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Why, b.Why))
	})}
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
		if c.Files[name], err = formatted(old, b); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

// formatted returns the new contents of a file, given its old contents and the edited text. It
// formats the text if the old contents were formatted, and keeps the line endings.
func formatted(old, text []byte) ([]byte, error) {
	unix := lineend.Unix(old)
	was, err := format.Source(unix)
	if err != nil || !bytes.Equal(was, unix) || !bytes.Equal(lineend.Like(old, old), old) {
		return text, nil
	}
	now, err := format.Source(lineend.Unix(text))
	return lineend.Like(old, now), err
}
