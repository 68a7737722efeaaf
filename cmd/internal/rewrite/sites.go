package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// A site is a place that takes memory, and where it stands.
type site struct {
	kind  string
	typ   types.Type // of the value; of a slice the element
	node  ast.Expr
	stack []ast.Node // the file first, the node last
}

// find looks at all sites of the package, and changes those that a rule asks for.
func (p *pass) find() {
	nodes := []ast.Node{(*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.CompositeLit)(nil)}
	inspector.New(p.Syntax).WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if push {
			if s, ok := p.site(n.(ast.Expr)); ok {
				s.stack = stack
				p.visit(s)
			}
		}
		return true
	})
}

// site tells whether an expression is a site.
func (p *pass) site(n ast.Expr) (site, bool) {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
			return site{kind: literal, typ: p.TypesInfo.TypeOf(lit), node: n}, true
		}
	case *ast.CompositeLit:
		switch t := p.TypesInfo.TypeOf(n).Underlying().(type) {
		case *types.Pointer: // in a list of pointers, {...} stands for &T{...}
			return site{kind: literal, typ: t.Elem(), node: n}, true
		case *types.Slice:
			return site{kind: list, typ: t.Elem(), node: n}, true
		}
	case *ast.CallExpr:
		return p.call(n)
	}
	return site{}, false
}

func (p *pass) call(n *ast.CallExpr) (site, bool) {
	result := p.TypesInfo.TypeOf(n)
	if fun := p.TypesInfo.Types[n.Fun]; fun.IsType() && len(n.Args) == 1 {
		from, _ := p.TypesInfo.TypeOf(n.Args[0]).Underlying().(*types.Slice)
		if from == nil || !types.Identical(result, types.Typ[types.String]) || !types.Identical(from.Elem(), types.Typ[types.Byte]) {
			return site{}, false
		}
		return site{kind: text, typ: result, node: n}, true
	} else if !fun.IsBuiltin() {
		return site{}, false
	}
	name, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || result == nil {
		return site{}, false
	}
	switch name.Name {
	case newCall:
		return site{kind: newCall, typ: result.(*types.Pointer).Elem(), node: n}, true
	case makes, appends:
		if s, ok := result.Underlying().(*types.Slice); ok {
			return site{kind: name.Name, typ: s.Elem(), node: n}, true
		}
	}
	return site{}, false
}

// visit changes a site if a rule asks for it, or notes why not.
func (p *pass) visit(s site) {
	if p.form == Own {
		p.visitOwn(s)
		return
	}
	name := types.TypeString(s.typ, p.short)
	i := slices.IndexFunc(p.counts, func(c Count) bool { return c.Rule.about(s.kind, name) })
	if i < 0 {
		return
	}
	c := &p.counts[i]
	why := p.refusal(s, c.Rule)
	if why == "" {
		var where string
		if where, why = p.place(s, c.Rule); why == "" {
			why = p.change(s, c.Rule, where)
		}
	}
	if why == "" {
		c.Done++
		return
	}
	at := p.Fset.PositionFor(s.node.Pos(), false)
	c.Left[why] = append(c.Left[why], fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
}

// short writes other packages' types by the package's name.
func (p *pass) short(other *types.Package) string {
	if other == p.Types {
		return ""
	}
	return other.Name()
}

// refusal returns why a site must stay as it is, apart from its owner.
func (p *pass) refusal(s site, r *Rule) string {
	fn := s.function()
	switch {
	case fn == nil:
		return "outside of a function, where values live as long as the program"
	case fn.Name.Name == "init" && fn.Recv == nil:
		return "in init, where values may live as long as the program"
	case slices.Contains(r.Except, fn.Name.Name), len(r.Only) > 0 && !slices.Contains(r.Only, fn.Name.Name):
		return "in a function that the rule leaves out"
	case generic(p.TypesInfo.Defs[fn.Name]):
		return "in a generic function"
	case s.inGoroutine():
		return "in a goroutine of its own"
	case s.kind == text:
		return p.refuseText(s)
	case !p.nameable(s.typ):
		return "its type has no name outside of the function"
	case p.TypesSizes.Sizeof(s.typ) == 0:
		return "its type has no size"
	case r.Owner == "" && p.form != Arena && leadsOn(s.typ):
		return "the package would own values that lead on to others, and a chunk would tie each result to the next"
	case slices.ContainsFunc(p.pinned, func(t types.Type) bool { return types.Identical(t, s.typ) }):
		return "finalizers, cleanups or weak pointers want values of its type to be allocated one by one"
	}
	return p.refuseForm(s)
}

// refuseForm returns what is wrong with the form of a site.
func (p *pass) refuseForm(s site) string {
	switch n := s.node.(type) {
	case *ast.CompositeLit:
		keyed := func(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok }
		switch {
		case n.Type == nil:
			return "its type is not written there"
		case len(n.Elts) == 0:
			return "an empty list takes no memory"
		case slices.ContainsFunc(n.Elts, keyed):
			return "its elements have indices"
		}
		untyped := func(e ast.Expr) bool { lit, ok := e.(*ast.CompositeLit); return ok && lit.Type == nil }
		if slices.ContainsFunc(n.Elts, untyped) {
			return "the types of its elements are not written there"
		}
	case *ast.CallExpr:
		switch s.kind {
		case makes:
			if len(n.Args) == 3 && !p.plain(n.Args[1]) {
				return "its length and its capacity are both computed"
			}
		case appends:
			return p.refuseAppend(n)
		}
	}
	return ""
}

func (p *pass) refuseAppend(n *ast.CallExpr) string {
	if len(n.Args) < 2 {
		return "it appends nothing"
	}
	if n.Ellipsis.IsValid() {
		if _, ok := p.TypesInfo.TypeOf(n.Args[1]).Underlying().(*types.Slice); !ok {
			return "it appends a string"
		}
	}
	_, ordered := ast.Unparen(n.Args[0]).(*ast.CallExpr) // calls are made in the order of the text
	if !ordered && !p.plain(n.Args[0]) && slices.ContainsFunc(n.Args[1:], p.calls) {
		return "a call beside the list might change the list, and the order of the two is open"
	}
	return ""
}

// refuseText leaves conversions that take no memory: the compiler looks at the bytes in place.
func (p *pass) refuseText(s site) string {
	i := len(s.stack) - 2
	for ; i > 0; i-- {
		if _, ok := s.stack[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	switch parent := s.stack[i].(type) {
	case *ast.BinaryExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return "the compiler makes no string there"
	case *ast.IndexExpr:
		if _, ok := p.TypesInfo.TypeOf(parent.X).Underlying().(*types.Map); ok {
			return "the compiler makes no string there"
		}
	}
	return ""
}

// calls reports whether an expression calls a function, conversions and builtins aside.
func (p *pass) calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fun := p.TypesInfo.Types[call.Fun]
			found = found || !fun.IsType() && !fun.IsBuiltin()
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}

// function returns the declaration around the site, or nil.
func (s site) function() *ast.FuncDecl {
	for _, n := range s.stack {
		if fn, ok := n.(*ast.FuncDecl); ok {
			return fn
		}
	}
	return nil
}

// inGoroutine reports whether a go statement starts what the site is in.
func (s site) inGoroutine() bool {
	return slices.ContainsFunc(s.stack, func(n ast.Node) bool { _, ok := n.(*ast.GoStmt); return ok })
}

func generic(fn types.Object) bool {
	signature, ok := fn.Type().(*types.Signature)
	return ok && (signature.TypeParams().Len() > 0 || signature.RecvTypeParams().Len() > 0)
}

// nameable reports whether the generated file can name the type.
func (p *pass) nameable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !p.nameable(arg) {
				return false
			}
		}
		o := t.Obj()
		return o.Pkg() == nil || o.Parent() == o.Pkg().Scope()
	case *types.Pointer:
		return p.nameable(t.Elem())
	case *types.Slice:
		return p.nameable(t.Elem())
	case *types.Array:
		return p.nameable(t.Elem())
	case *types.Map:
		return p.nameable(t.Key()) && p.nameable(t.Elem())
	case *types.Interface:
		return t.Empty()
	}
	return false
}

// source returns the text of an expression.
func (p *pass) source(e ast.Expr) string {
	file := p.Fset.File(e.Pos())
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) != file.Size() {
		return "" // the file changed since it was loaded; the result would not compile
	}
	return string(data[file.Offset(e.Pos()):file.Offset(e.End())])
}
