package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// survey collects what the form Own asks of functions and variables.
func (o *ownPass) survey(p *pass) {
	o.reassign, o.values = map[types.Object]bool{}, map[*types.Func]bool{}
	o.calls, o.functions, o.decls = map[*types.Func][]*ast.CallExpr{}, map[types.Object]ast.Node{}, map[*types.Func]*ast.FuncDecl{}
	variable := func(e ast.Expr) {
		if name, ok := ast.Unparen(e).(*ast.Ident); ok {
			o.reassign[p.TypesInfo.Uses[name]] = true
		}
	}
	called := map[*ast.Ident]*ast.CallExpr{}
	nodes := []ast.Node{(*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil), (*ast.Ident)(nil)}
	inspector.New(p.Syntax).Preorder(nodes, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				variable(left)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				variable(n.Key)
				variable(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				variable(n.X)
			}
		case *ast.CallExpr:
			if name := calleeName(n); name != nil {
				called[name] = n
			}
		case *ast.FuncDecl:
			if fn, ok := p.TypesInfo.Defs[n.Name].(*types.Func); ok {
				o.decls[fn] = n
			}
			o.parameters(p, n, n.Recv, n.Type.Params)
		case *ast.FuncLit:
			o.parameters(p, n, n.Type.Params)
		case *ast.Ident:
			fn, ok := p.TypesInfo.Uses[n].(*types.Func)
			if !ok {
				return
			}
			if call := called[n]; call != nil {
				o.calls[fn.Origin()] = append(o.calls[fn.Origin()], call)
			} else {
				o.values[fn.Origin()] = true
			}
		}
	})
}

// parameters notes which function variables are parameters of.
func (o *ownPass) parameters(p *pass, fn ast.Node, lists ...*ast.FieldList) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				o.functions[p.TypesInfo.Defs[name]] = fn
			}
		}
	}
}

// calleeName returns the name of what is called.
func calleeName(call *ast.CallExpr) *ast.Ident {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// isAlone reports whether one goroutine at a time uses what a parameter points to. It does if the function writes to it, because two that do
// would be a data race already, or if the callers are all known and have it alone.
func (p *pass) isAlone(v *types.Var) bool {
	if known, ok := p.own.alone[v]; ok {
		return known
	}
	p.own.alone[v] = true // of callers that call each other, another one decides
	p.own.alone[v] = p.mutates(v) || p.callersAlone(v)
	return p.own.alone[v]
}

// callersAlone reports whether all calls of a variable's function hand in what their goroutine has alone.
func (p *pass) callersAlone(v *types.Var) bool {
	decl, ok := p.own.functions[v].(*ast.FuncDecl)
	if !ok {
		return false
	}
	fn, ok := p.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok || fn.Exported() || p.own.values[fn] || len(p.own.calls[fn]) == 0 || p.dynamic(fn) {
		return false
	}
	for _, call := range p.own.calls[fn] {
		name, ok := p.argument(call, fn, v).(*ast.Ident)
		if !ok {
			return false
		}
		given, ok := p.TypesInfo.Uses[name].(*types.Var)
		if !ok || p.own.reassign[given] {
			return false
		}
		if p.own.functions[given] != nil && !p.isAlone(given) || p.own.functions[given] == nil && !p.isFresh(given) {
			return false
		}
	}
	return true
}

// dynamic reports whether a method may be called through an interface of the package.
func (p *pass) dynamic(fn *types.Func) bool {
	if fn.Signature().Recv() == nil {
		return false
	}
	for _, value := range p.TypesInfo.Types {
		if i, ok := value.Type.Underlying().(*types.Interface); ok && value.IsType() {
			for m := range i.Methods() {
				if m.Name() == fn.Name() {
					return true
				}
			}
		}
	}
	return false
}

// argument returns what a call hands in for a parameter, or nil.
func (p *pass) argument(call *ast.CallExpr, fn *types.Func, v *types.Var) ast.Expr {
	if fn.Signature().Recv() == v {
		if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.TypesInfo.Selections[selector] != nil && len(p.TypesInfo.Selections[selector].Index()) == 1 {
			return ast.Unparen(selector.X)
		}
		return nil
	}
	for i := range fn.Signature().Params().Len() {
		if fn.Signature().Params().At(i) == v && i < len(call.Args) && len(call.Args) >= fn.Signature().Params().Len() {
			return ast.Unparen(call.Args[i])
		}
	}
	return nil
}

// isFresh reports whether a local variable is, or points to, a value that its function made.
func (p *pass) isFresh(v *types.Var) (fresh bool) {
	if v.Parent() == nil || v.Parent() == p.Types.Scope() {
		return false
	}
	made := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if address, ok := e.(*ast.UnaryExpr); ok && address.Op == token.AND {
			e = ast.Unparen(address.X)
		}
		if call, ok := e.(*ast.CallExpr); ok {
			name := calleeName(call)
			return name != nil && p.TypesInfo.Uses[name] == types.Universe.Lookup("new")
		}
		_, ok := e.(*ast.CompositeLit)
		return ok
	}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok && p.TypesInfo.Defs[name] == v && len(n.Lhs) == len(n.Rhs) {
						fresh = made(n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if p.TypesInfo.Defs[name] == v {
						_, pointer := v.Type().Underlying().(*types.Pointer)
						fresh = len(n.Values) == 0 && !pointer || i < len(n.Values) && len(n.Values) == len(n.Names) && made(n.Values[i])
					}
				}
			}
			return true
		})
	}
	return fresh
}

// mutates reports whether a function writes to fields of what its parameter points to, or calls one that does.
func (p *pass) mutates(v *types.Var) bool {
	if known, ok := p.own.mutating[v]; ok {
		return known
	}
	p.own.mutating[v] = false
	var body *ast.BlockStmt
	switch fn := p.own.functions[v].(type) {
	case *ast.FuncDecl:
		body = fn.Body
	case *ast.FuncLit:
		body = fn.Body
	}
	if body == nil {
		return false
	}
	found, locked := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				found = found || p.fieldOf(left, v)
			}
		case *ast.IncDecStmt:
			found = found || p.fieldOf(n.X, v)
		case *ast.CallExpr:
			if name := calleeName(n); name != nil && slices.Contains(locking, name.Name) {
				locked = true // so others may do the same
			}
			found = found || p.handsTo(n, v)
		}
		return !locked
	})
	found = found && !locked
	p.own.mutating[v] = found
	return found
}

// locking are the names of methods that take a lock.
var locking = []string{"Lock", "RLock", "TryLock", "TryRLock"}

// handsTo reports whether a call hands a variable to a function of the package that writes to its fields.
func (p *pass) handsTo(call *ast.CallExpr, v *types.Var) bool {
	name := calleeName(call)
	if name == nil {
		return false
	}
	fn, ok := p.TypesInfo.Uses[name].(*types.Func)
	if !ok {
		return false
	}
	given := func(parameter *types.Var) bool {
		id, ok := p.argument(call, fn, parameter).(*ast.Ident)
		return ok && p.TypesInfo.Uses[id] == v && p.mutates(parameter)
	}
	if receiver := fn.Signature().Recv(); receiver != nil && p.own.functions[receiver] != nil && given(receiver) {
		return true
	}
	for parameter := range fn.Signature().Params().Variables() {
		if p.own.functions[parameter] != nil && given(parameter) {
			return true
		}
	}
	return false
}

// fieldOf reports whether an expression is a field, or a part of one, of what a variable points to: its memory and no other.
func (p *pass) fieldOf(e ast.Expr, v *types.Var) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		name, ok := ast.Unparen(e.X).(*ast.Ident)
		return ok && p.TypesInfo.Uses[name] == v
	case *ast.SelectorExpr:
		s := p.TypesInfo.Selections[e]
		if s == nil || s.Kind() != types.FieldVal {
			return false
		}
		if name, ok := ast.Unparen(e.X).(*ast.Ident); ok && p.TypesInfo.Uses[name] == v {
			return true
		}
		return !s.Indirect() && p.fieldOf(e.X, v)
	case *ast.IndexExpr:
		switch p.TypesInfo.TypeOf(e.X).Underlying().(type) {
		case *types.Array, *types.Map: // two writes to a map are a race
			return p.fieldOf(e.X, v)
		}
	}
	return false
}

// synchronous are packages that call functions before they return, one after the other.
var synchronous = []string{"sort", "slices", "strings", "bytes", "maps", "regexp", "path/filepath", "io/fs", "go/ast", "unicode"}

// refuseReach returns why an owner cannot be used at a site by the variable that points to it.
func (p *pass) refuseReach(s site, v *types.Var) string {
	if p.own.reassign[v] {
		return "the variable of the owner is assigned to"
	}
	for i := len(s.stack) - 1; i >= 0 && s.stack[i] != p.own.functions[v]; i-- {
		if lit, ok := s.stack[i].(*ast.FuncLit); ok && !p.runsHere(lit, s.stack[:i+1], p.startsValues()) {
			return "in a closure that another goroutine may run"
		}
	}
	if !p.isAlone(v) {
		return "nothing shows that one goroutine at a time has the owner"
	}
	return ""
}

// elsewhere returns the first place where another goroutine may get an owner in a function value: a closure or a method
// that a package gets which may run it at any time, or that a go statement may start.
func (p *pass) elsewhere(o *owner) (where string) {
	starts := p.startsValues()
	inspector.New(p.Syntax).WithStack([]ast.Node{(*ast.FuncLit)(nil), (*ast.SelectorExpr)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push || where != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			s := p.TypesInfo.Selections[n]
			if s == nil || s.Kind() != types.MethodVal || !pointsTo(s.Recv(), o.object) {
				return true
			}
			if call, ok := stack[len(stack)-2].(*ast.CallExpr); ok && call.Fun == n {
				return true
			}
		case *ast.FuncLit:
			if !p.captures(n, o.object) {
				return true
			}
		}
		if !p.runsHere(n.(ast.Expr), stack, starts) {
			at := p.Fset.PositionFor(n.Pos(), false)
			where = fmt.Sprintf("%s:%d", baseName(at.Filename), at.Line)
		}
		return true
	})
	return where
}

func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

func pointsTo(t types.Type, owner *types.Named) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return types.Identical(t, owner)
}

// startsValues reports whether the package may start a function value: by a go statement, or by handing it to others.
func (p *pass) startsValues() (found bool) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				_, literal := ast.Unparen(g.Call.Fun).(*ast.FuncLit)
				name := calleeName(g.Call)
				declared := false
				if name != nil {
					_, declared = p.TypesInfo.Uses[name].(*types.Func)
				}
				found = found || !literal && !declared
			}
			if call, ok := n.(*ast.CallExpr); ok {
				found = found || p.handsValue(call)
			}
			return !found
		})
	}
	return found
}

// handsValue reports whether a call hands a variable with a function to a package that may start it.
func (p *pass) handsValue(call *ast.CallExpr) bool {
	name := calleeName(call)
	if name == nil {
		return false
	}
	fn, ok := p.TypesInfo.Uses[name].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg() == p.Types || slices.Contains(synchronous, fn.Pkg().Path()) {
		return false
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		if _, ok := p.TypesInfo.TypeOf(arg).Underlying().(*types.Signature); !ok {
			return false
		}
		variable, ok := ast.Unparen(arg).(*ast.Ident)
		if !ok {
			_, ok = ast.Unparen(arg).(*ast.SelectorExpr)
			return ok
		}
		_, ok = p.TypesInfo.Uses[variable].(*types.Var)
		return ok
	})
}

// captures reports whether a closure uses an owner of the function around it.
func (p *pass) captures(lit *ast.FuncLit, owner *types.Named) (found bool) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			v, ok := p.TypesInfo.Uses[name].(*types.Var)
			found = found || ok && !v.IsField() && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) && pointsTo(v.Type(), owner)
		}
		return !found
	})
	return found
}

// runsHere reports whether a function value runs in the goroutine that makes it.
func (p *pass) runsHere(value ast.Expr, stack []ast.Node, starts bool) bool {
	i := len(stack) - 2
	for ; i > 0; i-- {
		if _, ok := stack[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	call, ok := stack[i].(*ast.CallExpr)
	if !ok {
		return !starts // whoever has it calls it, and nobody starts it
	}
	if call.Fun == stack[i+1] {
		_, started := stack[i-1].(*ast.GoStmt)
		return !started
	}
	name := calleeName(call)
	if name == nil {
		return !starts
	}
	callee := p.TypesInfo.Uses[name]
	if callee == nil || callee.Pkg() == nil || callee.Pkg() == p.Types {
		return !starts
	}
	return slices.Contains(synchronous, callee.Pkg().Path())
}
