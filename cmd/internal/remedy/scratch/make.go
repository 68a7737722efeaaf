package scratch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

const aboutScratch = `A slice that grows to a length that is not known in advance grows in scratch space, which its owner keeps. The scratch space grows once.
What a loop collects is a part of a stack: it begins where those of the calls around it end, so the function may call itself. When the loop ends it is copied to a slice of its own, taken off the stack, and cleared.
Each call trusts only the length that it counted itself. What a panic left on the stack does no harm; it stays there until a call around it ends, or the owner goes.
A slice that is nil and gets no elements stays nil.
A slice that is not kept takes the scratch space while it is in use and gives it back; calls in between find none, and allocate their own.
Only the call that makes an owner, and the calls below it, have the owner: no other goroutine can reach the scratch space, and no other call comes in between.`

const undoScratch = "Append to the variable itself again, and remove the field and the statements that copy, clear and cut it."

// scratch is the maker. It changes slices so that they grow in scratch space that the receiver or a
// parameter keeps.
func scratch(r *change.Request) (*change.Change, error) {
	c := &change.Change{About: aboutScratch, Undo: undoScratch, Price: []string{change.AssumedOfRoom}}
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	locals := rewrite.LocalsOf(r.Package)
	known := map[types.Object]string{} // names of added fields, by variable
	loops := map[ast.Node]map[types.Object]bool{}
	for _, s := range r.Sites {
		around, why := r.Scene(s)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		g := &growing{Scene: around, world: world, locals: locals, change: c, field: known}
		if why := g.look(s); why != "" {
			c.Leave(s, why)
			continue
		}
		if loops[g.place()][g.v] {
			c.Did(s, fmt.Sprintf("%s grows in %s.%s", g.v.Name(), g.owner.Name(), known[g.v]))
			continue
		}
		if why := g.edit(); why != "" {
			c.Leave(s, why)
			continue
		}
		if loops[g.place()] == nil {
			loops[g.place()] = map[types.Object]bool{}
		}
		loops[g.place()][g.v] = true
		c.Did(s, fmt.Sprintf("%s grows in %s.%s", g.v.Name(), g.owner.Name(), known[g.v]))
	}
	return c, c.AddWitness(r)
}

// growing describes a slice that grows, and the owner of its scratch space.
type growing struct {
	*change.Scene
	world  *change.World
	locals rewrite.Locals
	change *change.Change
	field  map[types.Object]string // names of the fields that the change has added, by variable
	v      *types.Var
	elem   types.Type
	uses   uses
	home   []ast.Stmt // statement list that declares the variable; nil for a result
	birth  ast.Stmt   // statement in home that declares the variable
	loop   ast.Stmt   // outermost loop around the append that does not declare the variable; nil if there is none
	owner  types.Object
	named  *types.Named
}

// place returns the node whose code the edit changes as a whole, which is the loop or the function.
func (g *growing) place() ast.Node {
	if g.temporary() {
		return g.Decl
	}
	return g.loop
}

// look finds the variable of a site, its uses, and its owner. If the site must be left unchanged,
// it returns the reason.
func (g *growing) look(s *site.Site) (why string) {
	if g.v, why = g.Grown(s); why != "" {
		return why
	}
	for _, n := range g.Path[2:] {
		if _, ok := n.(*ast.FuncLit); ok {
			return change.InLiteral
		}
	}
	if g.v.Pos() < g.Decl.Pos() || g.v.Pos() > g.Decl.End() {
		return "the slice is not a variable of the function"
	}
	g.elem = g.v.Type().Underlying().(*types.Slice).Elem()
	if g.locals.Shared(g.v) {
		return g.v.Name() + " is used in a function literal, or its address is taken"
	}
	if g.rangesOverFunction() {
		return "the function ranges over a function, which may run the body of the loop at any time"
	}
	if !g.born() {
		return g.v.Name() + " is not empty where it is declared, or already has capacity"
	}
	g.uses = g.usesOf()
	if why := g.findLoop(); why != "" {
		return why
	}
	if why := g.own(s); why != "" {
		return why
	}
	if g.maybeNil() {
		return g.owner.Name() + " may be nil there, and the scratch space would be a field of it"
	}
	if why := g.world.Pinned(g.elem); why != "" { // a panic may leave elements in the scratch space for longer
		return why
	}
	if g.WalksWhileGrowing(g.v) {
		return "a loop walks " + g.v.Name() + " while it grows"
	}
	return g.RoomSeen(g.world, g.v)
}

// rangesOverFunction reports whether a loop of the function ranges over a function.
func (g *growing) rangesOverFunction() (found bool) {
	ast.Inspect(g.Decl, func(n ast.Node) bool {
		if loop, ok := n.(*ast.RangeStmt); ok {
			found = found || typeset.MayBe[*types.Signature](g.Package.TypesInfo.TypeOf(loop.X))
		}
		return !found
	})
	return found
}

// born finds the statement that declares the variable. It reports whether the slice initially has
// no spare capacity. This is the case if the variable is a result, is declared without a value, or
// is declared with a slice without spare capacity.
func (g *growing) born() bool {
	if g.IsResult(g.v) {
		return true
	}
	ast.Inspect(g.Decl.Body, func(n ast.Node) bool {
		for _, stmt := range change.Statements(n) {
			switch stmt := stmt.(type) {
			case *ast.AssignStmt:
				if len(stmt.Lhs) == 1 && len(stmt.Rhs) == 1 && stmt.Tok == token.DEFINE && stmt.Lhs[0].Pos() == g.v.Pos() && g.roomless(stmt.Rhs[0]) {
					g.home, g.birth = change.Statements(n), stmt
				}
			case *ast.DeclStmt:
				decl := stmt.Decl.(*ast.GenDecl)
				if spec, ok := decl.Specs[0].(*ast.ValueSpec); ok && len(decl.Specs) == 1 && len(spec.Names) == 1 && spec.Names[0].Pos() == g.v.Pos() &&
					(len(spec.Values) == 0 || len(spec.Values) == 1 && g.roomless(spec.Values[0])) {
					g.home, g.birth = change.Statements(n), stmt
				}
			}
		}
		return g.birth == nil
	})
	return g.birth != nil
}

// roomless reports whether an expression creates a slice without spare capacity. Such an expression
// is a literal, a conversion of nil, or a make with length 0.
func (g *growing) roomless(e ast.Expr) bool {
	info := g.Package.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		switch {
		case info.Types[e.Fun].IsType():
			return len(e.Args) == 1 && info.Types[e.Args[0]].IsNil()
		case info.Types[e.Fun].IsBuiltin() && len(e.Args) == 2:
			name, ok := ast.Unparen(e.Fun).(*ast.Ident)
			zero := info.Types[e.Args[1]].Value
			return ok && name.Name == "make" && zero != nil && zero.ExactString() == "0"
		}
	}
	return false
}

// findLoop finds the outermost loop that encloses the append but not the declaration of the
// variable. If there is no suitable loop, it returns the reason.
func (g *growing) findLoop() string {
	for i, n := range g.Path {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if g.loop != nil || n.Pos() <= g.v.Pos() && g.v.Pos() < n.End() {
				continue
			}
			if change.Statements(g.Path[i-1]) == nil {
				return "the loop has a label, but coppice fix puts statements only around loops without one"
			}
			g.loop = n.(ast.Stmt)
		}
	}
	if g.loop == nil && !g.temporary() {
		return "the append is not in a loop, where scratch space would pay"
	}
	return ""
}

// own chooses the owner of the scratch space among the receivers and parameters that the facts of
// the site list. If there is an objection to each of them, it returns the objections.
func (g *growing) own(s *site.Site) (why string) {
	var all []string
	for _, o := range s.Facts.Owners {
		_, name, _ := strings.Cut(o.How, " ")
		short := strings.TrimPrefix(o.Type, "*")
		switch {
		case o.Many()*2 > s.Objects:
			why = fmt.Sprintf("there are as many %s as slices, so none would use its scratch space twice", short)
		default:
			if why = g.take(name); why == "" {
				why = g.world.Confined(g.Package.PkgPath, change.StructName(o))
			}
			if why == "" {
				return ""
			}
		}
		if len(s.Facts.Owners) > 1 && !strings.Contains(why, short) {
			why = short + " cannot keep it: " + why
		}
		all = append(all, why)
	}
	if len(all) == 0 {
		return noOwner
	}
	return strings.Join(all, "; ")
}

// noOwner is the reason why a slice is left unchanged if no struct can keep the scratch space.
const noOwner = "the scratch space must be a field of a struct that the function gets by pointer, as its receiver or a parameter; there is none"

// take makes the receiver or parameter with the given name the owner. If this is not possible, it
// returns the reason.
func (g *growing) take(name string) string {
	g.owner = nil
	for _, list := range []*ast.FieldList{g.Decl.Recv, g.Decl.Type.Params} {
		for i := 0; list != nil && i < list.NumFields(); i++ {
			if p := g.Parameter(list, i); p != nil && p.Name() == name {
				g.owner = p
			}
		}
	}
	if g.owner == nil {
		return noOwner
	}
	pointer, ok := types.Unalias(g.owner.Type()).(*types.Pointer)
	if ok {
		g.named, ok = types.Unalias(pointer.Elem()).(*types.Named)
	}
	switch {
	case !ok || g.named.TypeParams().Len() > 0:
		return name + " has a generic type, to which coppice fix does not add fields"
	case g.reset(g.owner):
		return name + " is assigned, or its address is taken"
	case g.comparedWithNil(g.owner):
		return name + " may be nil there, and the scratch space would be a field of it"
	case g.v.Name() == name:
		return "the slice has the name of the owner"
	}
	for _, at := range g.spots() {
		if g.Lookup(name, at) != g.owner {
			return "another variable has the name of the owner"
		}
		for _, builtin := range []string{"append", "len", "nil"} {
			if !g.Builtin(builtin, at) {
				return builtin + " is redeclared there"
			}
		}
	}
	return g.refuseStruct()
}

// spots returns the positions at which the change uses the name of the owner.
func (g *growing) spots() (all []token.Pos) {
	for _, a := range g.uses.appends {
		all = append(all, a.Pos())
	}
	if g.loop != nil {
		all = append(all, g.loop.Pos(), g.loop.End())
	}
	if g.temporary() {
		all = append(all, g.birth.Pos())
	}
	for _, exit := range g.exits(g.exitScope()) {
		all = append(all, exit.Pos())
	}
	return all
}

// exitScope returns the node whose exits are relevant, which is the loop or the body of the
// function.
func (g *growing) exitScope() ast.Node {
	if g.temporary() {
		return g.Decl.Body
	}
	return g.loop
}

// reset reports whether a parameter is assigned to, or its address is taken.
func (g *growing) reset(v types.Object) (found bool) {
	ast.Inspect(g.Decl.Body, func(n ast.Node) bool {
		is := func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && g.Package.TypesInfo.Uses[name] == v
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return is(ast.Unparen(e)) })
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(ast.Unparen(n.X))
		}
		return !found
	})
	return found
}

// comparedWithNil reports whether the function compares a parameter with nil.
func (g *growing) comparedWithNil(v types.Object) (found bool) {
	ast.Inspect(g.Decl.Body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			for _, pair := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				name, ok := ast.Unparen(pair[0]).(*ast.Ident)
				found = found || ok && g.Package.TypesInfo.Uses[name] == v && g.Package.TypesInfo.Types[pair[1]].IsNil()
			}
		}
		return !found
	})
	return found
}

// maybeNil reports whether the owner may be nil when the changed code first dereferences the
// pointer.
func (g *growing) maybeNil() bool {
	first := g.birth
	if !g.temporary() {
		first = g.loop
	}
	at := func(pos token.Pos) token.Position { return g.Package.Fset.PositionFor(pos, false) }
	return !g.world.NotNil(at(g.owner.Pos()), at(first.Pos()), at(first.End()))
}
