package presize

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

const aboutPresize = `The number of elements that a loop appends is known before it. Room for all of them is made once, before the loop, instead of repeatedly while the slice grows.
The elements and the length are the same. A slice that is nil and gets no elements stays nil.`

const undoPresize = "Remove the statement before the loop."

// presize is the maker. It allocates the capacity of a slice before the loop that fills it, if the
// final length is known there. It uses the analysis of package slicegrowth, so that coppice fix and
// coppice vet never disagree about a loop. The profile only selects some of the loops that this
// analysis finds.
func presize(r *change.Request) (*change.Change, error) {
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	c := &change.Change{About: aboutPresize, Undo: undoPresize, Price: []string{change.AssumedOfRoom}}
	rooms := slicegrowth.Rooms(&analysis.Pass{
		Analyzer: slicegrowth.Analyzer, Fset: r.Package.Fset, Files: r.Package.Syntax, Pkg: r.Package.Types,
		TypesInfo: r.Package.TypesInfo, TypesSizes: r.Package.TypesSizes,
	})
	done := map[types.Object]bool{}
	for _, s := range r.Sites {
		around, why := r.Scene(s)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		v, why := around.Grown(s)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		room, ok := rooms[v]
		if !ok || s.Facts.Known == "" || !slices.Contains(around.Path, ast.Node(room.Loop)) {
			c.Leave(s, "coppice fix needs the number of elements before a loop that alone fills the slice, but nothing gives it")
			continue
		}
		if why := around.RoomSeen(world, v); why != "" {
			c.Leave(s, why)
			continue
		}
		if !done[v] {
			p := presizing{around}
			if why := p.makeRoom(c, v, room); why != "" {
				c.Leave(s, why)
				continue
			}
			done[v] = true
		}
		c.Did(s, "room for "+room.Count+" is made before the loop")
	}
	return c, c.AddWitness(r)
}

// presizing locates an append whose slice gets capacity in advance.
type presizing struct{ *change.Scene }

// makeRoom inserts the statement that allocates the capacity. The statement depends on the module's
// Go version. If the insertion is not possible, makeRoom returns the reason.
func (s presizing) makeRoom(c *change.Change, v *types.Var, room slicegrowth.Room) string {
	at := room.Loop.Pos()
	if why := s.tooMuch(v, room); why != "" {
		return why
	}
	if s.IsResult(v) && s.Recovers() {
		return "a deferred function may return what the loop left when it panicked"
	}
	if why := s.Seen(v, room); why != "" {
		return why
	}
	if s.labeled(room.Loop) {
		return "the loop has a label, but coppice fix puts statements only before loops without one"
	}
	if version.Compare(s.Language, "go1.21") < 0 {
		return s.makeAtFirst(c, v, room)
	}
	name := c.Edits.Import(s.Package.Fset, s.Package.Types, s.File, "slices")
	if o := s.Lookup(name, at); o != nil {
		if p, ok := o.(*types.PkgName); !ok || p.Imported().Path() != "slices" {
			return "a variable has the name of package slices there"
		}
	}
	s.InsertRoom(c, v, at, room.Line(name)+s.End(room.Loop), s.End(room.Loop))
	return ""
}

// These constants limit the capacity, because the loop might end early. mostConstant is the maximum
// capacity for a constant count, and mostElement is the maximum size of an element, both in bytes.
const (
	mostConstant = 1 << 20
	mostElement  = 1 << 10
)

// tooMuch returns the reason that capacity for all elements may exceed the available memory, or ""
// if it cannot. Without the edit, the slice grows step by step, and the loop might end before the
// slice needs that much.
func (s presizing) tooMuch(v *types.Var, room slicegrowth.Room) string {
	elem := v.Type().Underlying().(*types.Slice).Elem()
	if typekey.DependsOnParameter(elem) {
		return "how much memory an element takes depends on a type parameter"
	}
	size := s.SizeOf(elem)
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
		return "the count is the length of a value whose type is a type parameter"
	}
	if typekey.DependsOnParameter(elem) || s.SizeOf(elem) == 0 {
		return "the count is of elements that may take no memory, so it may be arbitrarily large"
	}
	return ""
}

// makeAtFirst implements makeRoom for language versions without package slices. The inserted
// statement allocates the slice with its capacity if there are elements.
func (s presizing) makeAtFirst(c *change.Change, v *types.Var, room slicegrowth.Room) string {
	at := room.Loop.Pos()
	typ := s.typeAt(room.Slice)
	switch {
	case typ == nil:
		return change.NeedsSlices(s.Language) + "; without it the type of the slice would have to be written where it is declared"
	case s.mentionedBetween(v, room.Slice, at):
		return change.NeedsSlices(s.Language) + "; without it the slice must not be used before the loop"
	case !s.Builtin("make", at):
		return "make is redeclared there"
	case s.otherMeaning(typ, at):
		return "the type of the slice has another meaning before the loop"
	}
	end := s.End(room.Loop)
	if !strings.HasPrefix(end, "\n") {
		return "the loop does not begin its line"
	}
	made := fmt.Sprintf("%s = make(%s, 0, %s)", v.Name(), s.Text(typ), room.Raw)
	if value, err := types.Eval(s.Package.Fset, s.Package.Types, at, room.Raw); err != nil || value.Value == nil {
		made = fmt.Sprintf("if %s > 0 {%s\t%s%s}", room.Raw, end, made, end)
	}
	s.InsertRoom(c, v, at, made+end, end)
	return ""
}

// typeAt returns the type expression in the statement that declares a slice or makes it empty, or
// nil if the statement contains no type.
func (s presizing) typeAt(variable token.Pos) (typ ast.Expr) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
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

// typeOfEmpty returns the type in an expression that creates an empty slice, such as []T{},
// make([]T, 0) or []T(nil).
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

// mentionedBetween reports whether the function uses a variable after its declaration and before a
// loop, uses it in a function literal, or takes its address.
func (s presizing) mentionedBetween(v types.Object, from, to token.Pos) (found bool) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			outside := n.End() < v.Pos() || n.Pos() > v.Pos()
			found = found || outside && s.Mentions(n, v) != nil
		case *ast.Ident:
			found = found || from < n.Pos() && n.Pos() < to && s.Package.TypesInfo.Uses[n] == v
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && s.Mentions(n.X, v) != nil
		}
		return true
	})
	return found
}

// otherMeaning reports whether a name in a type expression has a different meaning at a position.
func (s presizing) otherMeaning(typ ast.Expr, at token.Pos) (other bool) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			other = other || s.otherMeaning(selector.X, at)
			return false
		}
		name, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if o := s.Package.TypesInfo.Uses[name]; o != nil && s.Lookup(name.Name, at) != o {
			other = true
		}
		return true
	})
	return other
}

// labeled reports whether a statement has a label.
func (s presizing) labeled(stmt ast.Stmt) (found bool) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		l, ok := n.(*ast.LabeledStmt)
		found = found || ok && l.Stmt == stmt
		return !found
	})
	return found
}

// guard accepts only sites whose count the input cannot make arbitrarily large.
func guard(r change.Request) (change.Request, change.Change, error) {
	return r.Only(func(s *site.Site) bool { return certain.MatchString(s.Facts.Known) },
		"the count is not the length of existing data: a wrong one could request any amount of memory")
}

// certain matches the counts that the input cannot make arbitrarily large. These are the length of
// an existing value, and constants.
var certain = regexp.MustCompile(`^(len\([\w.]+\)|\d+)$`)
