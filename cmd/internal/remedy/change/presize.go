package change

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/internal/reach"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

const aboutPresize = `A loop appends as many elements as something before it says. Room for all of them is made once, before the loop, instead of again and again while the slice grows.
The elements and the length are the same. A slice that is nil and gets no elements stays nil.`

const assumedOfRoom = "assumed of other modules: none asks for the capacity of the list, or appends to one list twice; append gave it another capacity. " +
	"That holds too for a list that gets there by a carrier (a context, a sync.Map, a log attribute), a channel, a hook, or a method that the other module asks for"

const undoPresize = "Take out the statement before the loop."

// Presize makes room for slices whose final length is known before the loop that fills them.
func Presize(r *Request) (*Change, error) {
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
			c.leave(s, "nothing before the loop says how many elements it appends, to a slice that nothing else sets")
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
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return nil, "the type of the slice is a type parameter"
	}
	return v, ""
}

// makeRoom inserts what makes room, in the words that the version of the language has. It returns why it does not.
func (s *scene) makeRoom(c *Change, v *types.Var, room slicegrowth.Room) string {
	at := room.Loop.Pos()
	if why := s.tooMuch(v, room); why != "" {
		return why
	}
	if s.isResult(v) && s.recovers() {
		return "a deferred function may return what the loop left when it panicked"
	}
	if why := s.seen(v, room); why != "" {
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

// The most that is asked for at once, where the loop might end early: bytes for a count that is a constant, and of an element.
const (
	mostConstant = 1 << 20
	mostElement  = 1 << 10
)

// sizeOf is how many bytes a value takes; those of a word if that depends on a type parameter.
func (s *scene) sizeOf(t types.Type) int64 {
	if reach.DependsOnParameter(t) {
		return s.Package.TypesSizes.Sizeof(types.Typ[types.Uintptr])
	}
	return s.Package.TypesSizes.Sizeof(t)
}

// tooMuch says why room for all elements may be more than there is: the loop would ask for it step by step, and might end before.
func (s *scene) tooMuch(v *types.Var, room slicegrowth.Room) string {
	elem := v.Type().Underlying().(*types.Slice).Elem()
	if reach.DependsOnParameter(elem) {
		return "how much memory an element takes depends on a type parameter"
	}
	size := s.sizeOf(elem)
	if size > mostElement {
		return fmt.Sprintf("an element takes %d bytes, and the loop may end before it has all of them", size)
	}
	count, err := types.Eval(s.Package.Fset, s.Package.Types, room.Loop.Pos(), room.Raw)
	if err != nil {
		return "the count cannot be computed before the loop"
	}
	if count.Value != nil {
		if n, ok := constant.Int64Val(constant.ToInt(count.Value)); !ok || n > mostConstant/max(1, size) {
			return "the count is a large constant, and the loop may end before"
		}
	}
	inner, ok := strings.CutPrefix(room.Raw, "len(")
	if !ok {
		return ""
	}
	of, err := types.Eval(s.Package.Fset, s.Package.Types, room.Loop.Pos(), strings.TrimSuffix(inner, ")"))
	if err != nil {
		return "the count cannot be computed before the loop"
	}
	t := of.Type.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	case *types.Chan:
		elem = t.Elem()
	case *types.Basic, *types.Map:
		return ""
	default:
		return "what the count is the length of is a type parameter"
	}
	if reach.DependsOnParameter(elem) || s.sizeOf(elem) == 0 {
		return "the count is the length of elements that may take no memory, and there may be any number of them"
	}
	return ""
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
