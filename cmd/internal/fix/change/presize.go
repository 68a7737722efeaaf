package change

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/internal/find/site"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

const aboutPresize = `A loop appends as many elements as something before it says. Room for all of them is made once, before the loop, instead of again and again while the slice grows.
The elements and the length are the same. A slice that is nil and gets no elements stays nil.`

const assumedOfRoom = "assumed of other modules: none asks for the capacity of the list, or appends to one list twice; append gave it another capacity"

const undoPresize = "Take out the statement before the loop."

// presize makes room for slices whose final length is known before the loop that fills them.
func presize(r *Request) (*Change, error) {
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	c := &Change{About: aboutPresize, Undo: undoPresize, Price: []string{assumedOfRoom}}
	rooms := slicegrowth.Rooms(&analysis.Pass{
		Analyzer: slicegrowth.Analyzer, Fset: r.Package.Fset, Files: r.Package.Syntax, Pkg: r.Package.Types,
		TypesInfo: r.Package.TypesInfo, TypesSizes: r.Package.TypesSizes,
	})
	done := map[types.Object]bool{}
	for _, s := range r.Sites {
		around, why := r.scene(s)
		if why != "" {
			c.leave(s, why)
			continue
		}
		v, why := around.grown(s)
		if why != "" {
			c.leave(s, why)
			continue
		}
		room, ok := rooms[v]
		if !ok || s.Facts.Known == "" || !slices.Contains(around.path, ast.Node(room.Loop)) {
			c.leave(s, "nothing before the loop says how many elements it appends")
			continue
		}
		if why := around.roomSeen(world, v); why != "" {
			c.leave(s, why)
			continue
		}
		if !done[v] {
			if why := around.makeRoom(c, v, room); why != "" {
				c.leave(s, why)
				continue
			}
			done[v] = true
		}
		c.done(s, "room for "+room.Count+" is made before the loop")
	}
	return c, c.addWitness(r)
}

// grown returns the variable that an append grows, or why there is none.
func (s *scene) grown(of *site.Site) (v *types.Var, why string) {
	call, ok := s.path[len(s.path)-1].(*ast.CallExpr)
	if !ok || of.Facts.Kind != site.Append || len(call.Args) == 0 {
		return nil, "it is no append"
	}
	if g := of.Facts.Grows; g != nil {
		return nil, fmt.Sprintf("each %s has a slice of its own (%s), and nothing in the source says how long it gets: a person must choose a capacity", strings.TrimPrefix(g.Type, "*"), g.How)
	}
	name, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return nil, "the slice is no variable of the function"
	}
	v, ok = s.Package.TypesInfo.Uses[name].(*types.Var)
	if !ok || v.Parent() == s.Package.Types.Scope() {
		return nil, "the slice is no variable of the function"
	}
	return v, ""
}

// makeRoom inserts what makes room, in the words that the version of the language has. It returns why it does not.
func (s *scene) makeRoom(c *Change, v *types.Var, room slicegrowth.Room) string {
	at := room.Loop.Pos()
	if strings.Contains(room.Count, "max(") && !s.builtin("max", at) && version.Compare(s.Language, "go1.21") >= 0 {
		return "max has another meaning there"
	}
	if s.isResult(v) && s.recovers() {
		return "a deferred function may return what the loop left when it panicked"
	}
	if why := s.seen(v, room.Loop); why != "" {
		return why
	}
	if s.labeled(room.Loop) {
		return "the loop has a label"
	}
	if version.Compare(s.Language, "go1.21") < 0 {
		return s.makeAtFirst(c, v, room)
	}
	name := c.Edits.Import(s.Package.Fset, s.Package.Types, s.file, "slices")
	if o := s.lookup(name, at); o != nil {
		if p, ok := o.(*types.PkgName); !ok || p.Imported().Path() != "slices" {
			return "a variable has the name of package slices there"
		}
	}
	s.insertRoom(c, v, at, room.Line(name)+s.end(room.Loop), s.end(room.Loop))
	return ""
}

// seen returns who may see that a slice has room: what the loop hands out of it would share one array, and what looks at it when the loop has
// panicked would find no nil.
func (s *scene) seen(v *types.Var, loop ast.Stmt) (why string) {
	ast.PreorderStack(s.decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || why != "" || s.Package.TypesInfo.Uses[name] != v {
			return why == ""
		}
		up, at := around(append(slices.Clone(above), n))
		call, _ := up.(*ast.CallExpr)
		switch {
		case n.Pos() < loop.End() && slices.ContainsFunc(above, func(n ast.Node) bool { return isLiteralWithout(n, v) }):
			why = "a function literal may see the slice while the loop runs, or after it panicked"
		case call != nil && builtin(s.Package.TypesInfo, call) == "cap":
			why = "the function asks for the capacity of " + v.Name()
		case loop.Pos() <= n.Pos() && n.Pos() < loop.End() && !s.growsOrReads(up, above[:at], name):
			why = "the loop uses " + v.Name() + " for more than append: what it hands out had an array of its own"
		}
		return why == ""
	})
	if why == "" && s.addressed(v, loop) {
		why = "the address of " + v.Name() + " is taken before the loop ends"
	}
	return why
}

// roomSeen says who may see how much room a slice has that leaves the function.
func (s *scene) roomSeen(world *World, v types.Object) (why string) {
	if !s.leaves(v) {
		return ""
	}
	at := func(pos token.Pos) token.Position { return s.Package.Fset.PositionFor(pos, false) }
	from, to := at(s.decl.Pos()), at(s.decl.End())
	for _, r := range world.Rooms(v.Type()) {
		inside := r.At.Filename == from.Filename && from.Offset <= r.At.Offset && r.At.Offset < to.Offset
		if inside && r.Slice.IsValid() && r.Slice.Filename == from.Filename && r.Slice != at(v.Pos()) && !s.flowsTo(v, r.Slice) {
			continue // another variable of the function
		}
		return "the slice leaves the function, and somebody may see how much room it has: " + r.String()
	}
	return ""
}

// flowsTo reports whether the function may give a variable to another one, which is told by where it is declared.
func (s *scene) flowsTo(v types.Object, other token.Position) (found bool) {
	is := func(e ast.Expr) bool {
		name, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return true // a part of something
		}
		o := s.Package.TypesInfo.ObjectOf(name)
		return o != nil && s.Package.Fset.PositionFor(o.Pos(), false) == other
	}
	ast.Inspect(s.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				right := n.Rhs[min(i, len(n.Rhs)-1)]
				found = found || is(left) && s.mentions(right, v) != nil && !s.is(left, v)
			}
		case *ast.ValueSpec:
			for _, value := range n.Values {
				found = found || s.mentions(value, v) != nil
			}
		}
		return !found
	})
	return found
}

// leaves reports whether others may get a slice: it is used for more than append, len, range, and its elements.
func (s *scene) leaves(v types.Object) (found bool) {
	if v, ok := v.(*types.Var); ok && s.isResult(v) {
		return true
	}
	ast.PreorderStack(s.decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || found || s.Package.TypesInfo.Uses[name] != v {
			return !found
		}
		up, at := around(append(slices.Clone(above), n))
		found = !s.growsOrReads(up, above[:at], name)
		return !found
	})
	return found
}

// isLiteralWithout tells a function literal that does not declare a variable.
func isLiteralWithout(n ast.Node, v types.Object) bool {
	lit, ok := n.(*ast.FuncLit)
	return ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
}

// growsOrReads reports whether a use of a slice is v = append(v, ...) without v in what is appended, len(v), an element that is read or set,
// or the list of a loop.
func (s *scene) growsOrReads(up ast.Node, above []ast.Node, name *ast.Ident) bool {
	switch up := up.(type) {
	case *ast.CallExpr:
		switch builtin(s.Package.TypesInfo, up) {
		case "len":
			return true
		case "append":
			assign, ok := above[len(above)-1].(*ast.AssignStmt)
			return ok && up.Args[0] == ast.Expr(name) && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && assign.Rhs[0] == ast.Expr(up) && s.is(assign.Lhs[0], s.Package.TypesInfo.Uses[name])
		}
	case *ast.AssignStmt:
		call, ok := up.Rhs[0].(*ast.CallExpr)
		return ok && len(up.Lhs) == 1 && up.Lhs[0] == ast.Expr(name) && builtin(s.Package.TypesInfo, call) == "append" && s.is(call.Args[0], s.Package.TypesInfo.Uses[name])
	case *ast.IndexExpr:
		return up.X == ast.Expr(name) && !s.addressOf(append(slices.Clone(above), up))
	case *ast.RangeStmt:
		return up.X == ast.Expr(name)
	}
	return false
}

// addressOf reports whether somebody gets the address of the element at the end of a path, or of a part of it.
func (s *scene) addressOf(path []ast.Node) bool {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.SelectorExpr:
			if sel := s.Package.TypesInfo.Selections[n]; sel == nil || sel.Kind() != types.FieldVal {
				return true // a method may get the address
			}
			continue
		case *ast.IndexExpr:
			if n.X != path[i+1] {
				return false
			}
			continue
		case *ast.UnaryExpr:
			return n.Op == token.AND
		case *ast.SliceExpr:
			return true
		}
		return false
	}
	return false
}

// is reports whether an expression is a variable.
func (r *Request) is(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.Package.TypesInfo.ObjectOf(name) == v
}

// addressed reports whether the address of a variable is taken before a loop ends.
func (s *scene) addressed(v types.Object, loop ast.Stmt) (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		u, ok := n.(*ast.UnaryExpr)
		found = found || ok && u.Op == token.AND && u.Pos() < loop.End() && s.is(u.X, v)
		return !found
	})
	return found
}

// makeAtFirst is makeRoom for languages without package slices: the slice is made with its capacity, if there are elements.
func (s *scene) makeAtFirst(c *Change, v *types.Var, room slicegrowth.Room) string {
	at := room.Loop.Pos()
	typ := s.typeAt(room.Slice)
	switch {
	case typ == nil:
		return "package slices came with go1.21, and the type of the slice is not written where it is declared"
	case s.mentionedBetween(v, typ, room.Slice, at):
		return "package slices came with go1.21, and the slice is used before the loop"
	case !s.builtin("make", at):
		return "make has another meaning there"
	case s.otherMeaning(typ, at):
		return "the type of the slice has another meaning before the loop"
	}
	end := s.end(room.Loop)
	if !strings.HasPrefix(end, "\n") {
		return "the loop does not begin its line"
	}
	made := fmt.Sprintf("%s = make(%s, 0, %s)", v.Name(), s.text(typ), room.Raw)
	if value, err := types.Eval(s.Package.Fset, s.Package.Types, at, room.Raw); err != nil || value.Value == nil {
		made = fmt.Sprintf("if %s > 0 {%s\t%s%s}", room.Raw, end, made, end)
	}
	s.insertRoom(c, v, at, made+end, end)
	return ""
}

// typeAt returns the type that is written where a slice is declared or emptied, or nil.
func (s *scene) typeAt(variable token.Pos) (typ ast.Expr) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if name.Pos() == variable {
					typ = n.Type
					if typ == nil && i < len(n.Values) {
						typ = typeOfEmpty(n.Values[i])
					}
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if left.Pos() == variable && len(n.Lhs) == len(n.Rhs) {
					typ = typeOfEmpty(n.Rhs[i])
				}
			}
		}
		return typ == nil
	})
	return typ
}

// typeOfEmpty returns the type that an empty slice is written with: []T{}, make([]T, 0), []T(nil).
func typeOfEmpty(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e.Type
	case *ast.CallExpr:
		if len(e.Args) == 2 {
			return e.Args[0]
		}
		return ast.Unparen(e.Fun)
	}
	return nil
}

// mentionedBetween reports whether the function uses a variable after its declaration and before a loop, or in a function literal.
func (s *scene) mentionedBetween(v types.Object, typ ast.Expr, from, to token.Pos) (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			outside := n.End() < v.Pos() || n.Pos() > v.Pos()
			found = found || outside && s.mentions(n, v) != nil
		case *ast.Ident:
			found = found || from < n.Pos() && n.Pos() < to && s.Package.TypesInfo.Uses[n] == v
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && s.mentions(n.X, v) != nil
		}
		return true
	})
	return found
}

// otherMeaning reports whether a name in a type means something else at a position.
func (s *scene) otherMeaning(typ ast.Expr, at token.Pos) (other bool) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			other = other || s.otherMeaning(selector.X, at)
			return false
		}
		name, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if o := s.Package.TypesInfo.Uses[name]; o != nil && s.lookup(name.Name, at) != o {
			other = true
		}
		return true
	})
	return other
}

// labeled reports whether a statement has a label.
func (s *scene) labeled(stmt ast.Stmt) (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		l, ok := n.(*ast.LabeledStmt)
		found = found || ok && l.Stmt == stmt
		return !found
	})
	return found
}

// isResult reports whether a variable is a named result of a function.
func (s *scene) isResult(v *types.Var) (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Results != nil {
			found = found || t.Results.Pos() <= v.Pos() && v.Pos() < t.Results.End()
		}
		return !found
	})
	return found
}

// recovers reports whether a function that is deferred in this one may call recover: one of another package, or a method that nobody
// knows before, or one of this package with recover in it.
func (s *scene) recovers() (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			found = found || s.mayRecover(d.Call)
		}
		return !found
	})
	return found
}

func (s *scene) mayRecover(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return s.namesRecover(lit.Body)
	}
	decl := s.declared(call)
	return decl == nil || decl.Body == nil || s.namesRecover(decl.Body)
}

// namesRecover reports whether the builtin recover is named.
func (r *Request) namesRecover(n ast.Node) bool {
	return r.mentions(n, types.Universe.Lookup("recover")) != nil
}

// declared returns the declaration of the function or method that a call is of, if it is in this package.
func (r *Request) declared(call *ast.CallExpr) *ast.FuncDecl {
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	fn, ok := r.Package.TypesInfo.Uses[name].(*types.Func)
	if !ok {
		return nil
	}
	return r.decls()[fn.Origin()]
}

// decls are the declarations of the package's functions.
func (r *Request) decls() map[types.Object]*ast.FuncDecl {
	if r.declarations == nil {
		r.declarations = map[types.Object]*ast.FuncDecl{}
		for _, file := range r.Package.Syntax {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok {
					r.declarations[r.Package.TypesInfo.Defs[decl.Name]] = decl
				}
			}
		}
	}
	return r.declarations
}
