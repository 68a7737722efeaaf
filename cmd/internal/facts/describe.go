package facts

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// describe fills in a site's facts from its candidate. The owners are filled in later.
func (u *unit) describe(s *site.Site, c *candidate) {
	f := &s.Facts
	f.Kind, f.Length = c.kind, c.length
	t := c.typ
	if c.kind == site.Call {
		t = allocatedType(t)
		f.Callee = callee(s, c)
	}
	f.Type, f.Size, f.Pointers = u.typeName(t), max(0, u.size(t)), pointers(t)
	f.Recursive = recursive(t)
	switch {
	case c.kind == site.ToString, c.kind == site.Concat, t != nil && c.kind == site.Call && isString(t):
		f.Pointers = site.NoPointers // the allocation contains only bytes
		f.Operand = u.operand(c)
	case c.kind == site.Closure:
		f.Size = max(0, c.bytes)
	case t != nil && c.kind == site.MakeMap:
		if m, ok := t.Underlying().(*types.Map); ok {
			f.Size = max(0, u.size(m.Key())) + max(0, u.size(m.Elem()))
		}
	}
	f.Expr = u.span(c.at.Node())
	f.Escapes = u.escapesOf(c)
	if u.brief && len(f.Escapes) > 0 {
		f.NoFlow = escapes.NoFlow
	}
	f.Loop = c.looped()
	f.Known = u.knownLength(c)
	f.Refilled = u.refilled(c)
	f.Written = u.written(c)
	f.Plain = u.plain(c)
	f.WholeField, f.Unread = u.wholeField(c), u.unread(c)
	f.Beside = u.siblings(c)
	f.Also = u.alternatives(s, c)
	f.Result = u.isResult(c)
	f.Returned = u.returnedBy(c, f)
	f.Directive = c.shown != c.compiled && u.directive(c.shown.file)
	if f.Directive && s.Line == c.shown.line && filepath.Base(s.File) != c.shown.file { // a profile has only one file for each function
		s.File = u.Fset.Position(c.at.Node().Pos()).Filename
	}
	f.Test = InTest(s.File)
	f.Generated = u.generated(c.compiled.file)
}

// plain describes how to build the result of a fmt call without fmt. The candidate is the call
// itself or one of its operands. plain returns "" for other candidates, and for calls that need
// fmt.
func (u *unit) plain(c *candidate) string {
	at := c.at
	if c.kind == site.Box {
		for at.ParentEdgeKind() == edge.ParenExpr_X {
			at = at.Parent()
		}
		at = at.Parent()
	}
	call, ok := at.Node().(*ast.CallExpr)
	if !ok || c.kind != site.Box && c.kind != site.Call && c.kind != site.Variadic || !formats.Is(u.TypesInfo, call) {
		return ""
	}
	text, why := formats.Of(u.TypesInfo, u.Types, call)
	if why != "" {
		return ""
	}
	return text.Summary()
}

// operand returns the source range of b if the candidate is a conversion string(b) of a byte slice.
// It returns nil for other candidates, and in files that cgo generated.
func (u *unit) operand(c *candidate) *site.Span {
	call, ok := c.at.Node().(*ast.CallExpr)
	if c.kind != site.ToString || !ok {
		return nil
	}
	b := call.Args[0]
	if !types.AssignableTo(u.TypesInfo.TypeOf(b), types.NewSlice(types.Typ[types.Byte])) {
		return nil
	}
	return u.span(b)
}

// span returns the source range of a node, or nil if the node is in a file that cgo generated.
// //line directives are ignored.
func (u *unit) span(n ast.Node) *site.Span {
	from, to := u.Fset.PositionFor(n.Pos(), false), u.Fset.PositionFor(n.End(), false)
	if !slices.Contains(u.GoFiles, from.Filename) {
		return nil
	}
	return &site.Span{File: from.Filename, From: from.Offset, To: to.Offset}
}

// undescribed fills in the facts of a site for which no candidate was found.
func (u *unit) undescribed(s *site.Site) {
	f := &s.Facts
	file := filepath.Base(s.File)
	f.Test, f.Directive, f.Generated = InTest(file), u.directive(file), u.generated(file)
	for _, e := range u.escapes[line{file, s.Line}] {
		f.Escapes = append(f.Escapes, site.Escape{Column: e.Column, Message: e.Message, Flow: e.Flow})
	}
	if isLeaf(s.Leaf) {
		f.Kind, f.Callee = site.Call, leafName(s.Leaf)
	} else if len(f.Escapes) == 0 {
		f.NoSource = "nothing in " + file + " allocates on the lines that the profile names"
	}
}

// allocatedType guesses, from the result types of a call, the type of the value that the call
// allocates. It returns nil if the first result cannot be the allocated value.
func allocatedType(t types.Type) types.Type {
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return nil
		}
		t = tuple.At(0).Type()
	}
	if isNoMemory(t) {
		return nil
	}
	switch under := t.Underlying().(type) {
	case *types.Slice:
		return under.Elem()
	case *types.Pointer:
		return under.Elem()
	}
	return t
}

// isNoMemory reports whether a result of type t cannot be the allocated value, such as the bool
// that bufio.Scanner.Scan returns.
func isNoMemory(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString == 0 || types.Identical(t, types.Universe.Lookup("error").Type())
}

// callee returns the name of the standard library function that the candidate calls.
func callee(s *site.Site, c *candidate) string {
	if c.callee == nil || c.callee.Pkg() == nil || !goroot.Has(c.callee.Pkg().Path()) {
		return leafName(s.Leaf)
	}
	name := c.callee.Name()
	if receiver := c.callee.Signature().Recv(); receiver != nil {
		t := receiver.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	return c.callee.Pkg().Name() + "." + name
}

// leafName returns the name of the function that allocates, qualified with the last element of its
// package path.
func leafName(leaf *site.Place) string {
	name, _ := base(leaf.Function)
	return leaf.Package[strings.LastIndex(leaf.Package, "/")+1:] + "." + strings.NewReplacer("(*", "", ")", "").Replace(name)
}

// directive reports whether a file name occurs only in //line directives, so that the package has
// no such file.
func (u *unit) directive(file string) bool {
	for _, f := range u.Syntax {
		if at, _ := u.physical(f.Package); at.file == file || strings.HasSuffix(at.file, cgoSuffix) {
			return false
		}
	}
	return true
}

// generated reports whether a file contains the comment that marks generated code, or is known only
// from //line directives. file is the name that the compiler uses, or a name from such a directive.
func (u *unit) generated(file string) bool {
	for _, f := range u.Syntax {
		at, _ := u.physical(f.Package)
		shown := u.shown(f.Package).file
		if at.file != file && shown != file {
			continue
		}
		own := ast.File{Package: f.Package}
		for _, c := range f.Comments { // cgo adds a comment of its own
			if u.shown(c.Pos()).file == shown || !strings.HasSuffix(at.file, cgoSuffix) {
				own.Comments = append(own.Comments, c)
			}
		}
		return ast.IsGenerated(&own)
	}
	return u.directive(file)
}
