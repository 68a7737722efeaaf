package firstroom

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const about = `A slice that gets its first element makes room for the length that most of them had when measured, instead of growing step by step.
The elements and the length are the same, and longer slices grow as before. A slice that gets no elements stays nil.`

const undo = "Remove the statement with slices.Grow, and append the value itself."

// firstRoom is the maker. It inserts code that allocates a slice's capacity when the slice gets its
// first element.
func firstRoom(r *change.Request) (*change.Change, error) {
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	c := &change.Change{About: about, Undo: undo, Price: []string{change.AssumedOfRoom}}
	locals := rewrite.LocalsOf(r.Package)
	names := map[*ast.FuncDecl][]string{}
	byVariable := map[types.Object][]*growing{}
	var order []types.Object
	for _, s := range r.Sites {
		g, why := grown(r, s, locals)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		if len(byVariable[g.v]) == 0 {
			order = append(order, g.v)
		}
		byVariable[g.v] = append(byVariable[g.v], g)
	}
	for _, v := range order {
		all := byVariable[v]
		var sizes [][]site.Size
		for _, g := range all {
			sizes = append(sizes, g.site.Sizes)
		}
		room, ok := choose(site.Together(sizes...), all[0].SizeOf(all[0].elem()))
		why := "no first room is right for most of the slices that were measured"
		if ok {
			why = all[0].refuse(world)
		}
		for _, g := range all {
			if why != "" {
				c.Leave(g.site, why)
			} else if why := g.edit(c, room.n, names); why != "" {
				c.Leave(g.site, why)
			} else {
				c.Did(g.site, fmt.Sprintf("%s has room for %d at first", g.Text(g.list), room.n))
			}
		}
	}
	return c, c.AddWitness(r)
}

// A growing describes the statement of a site, list = append(list, ...).
type growing struct {
	*change.Scene
	site   *site.Site
	locals rewrite.Locals
	assign *ast.AssignStmt
	call   *ast.CallExpr
	list   ast.Expr   // the slice: x or p.x
	v      *types.Var // variable or field that holds the slice
}

func (g *growing) elem() types.Type { return g.v.Type().Underlying().(*types.Slice).Elem() }

// grown inspects the statement of a site. If the site must be left unchanged, it returns the
// reason.
func grown(r *change.Request, s *site.Site, locals rewrite.Locals) (g *growing, why string) {
	scene, why := r.Scene(s)
	if why != "" {
		return nil, why
	}
	g = &growing{Scene: scene, site: s, locals: locals}
	path := g.Path
	g.call, _ = path[len(path)-1].(*ast.CallExpr)
	if g.call == nil || change.Builtin(r.Package.TypesInfo, g.call) != "append" {
		return nil, "it is not an append"
	}
	g.assign, _ = path[len(path)-2].(*ast.AssignStmt)
	switch {
	case g.assign == nil || g.assign.Tok != token.ASSIGN || len(g.assign.Lhs) != 1 || len(g.assign.Rhs) != 1 || change.Statements(path[len(path)-3]) == nil:
		return nil, "coppice fix changes statements x = append(x, ...), but this is another form"
	case g.call.Ellipsis.IsValid() || len(g.call.Args) < 2:
		return nil, "it may append nothing, and a nil slice must then stay nil"
	case version.Compare(g.Language, "go1.21") < 0:
		return nil, change.NeedsSlices(g.Language)
	}
	g.list = g.assign.Lhs[0]
	if g.v = g.variable(g.list); g.v == nil || g.variable(g.call.Args[0]) != g.v || g.base(g.list) != g.base(g.call.Args[0]) {
		return nil, "the slice is neither a variable of the function nor a field of one"
	}
	if _, ok := g.v.Type().Underlying().(*types.Slice); !ok {
		return nil, "the type of the slice is a type parameter"
	}
	return g, ""
}

// variable returns the local variable or the field that an expression denotes, or nil for other
// expressions.
func (g *growing) variable(e ast.Expr) *types.Var {
	v, _ := g.locals.Place(e)
	return v
}

// base returns the variable x for an expression x.f that denotes a field, or nil for other
// expressions.
func (g *growing) base(e ast.Expr) *types.Var {
	_, base := g.locals.Place(e)
	return base
}

// edit inserts the statement that allocates capacity. If that is not possible, it returns the
// reason. names contains the names of the variables that other edits declare.
func (g *growing) edit(c *change.Change, n int, names map[*ast.FuncDecl][]string) string {
	hoisted, why := g.hoisted()
	if why != "" {
		return why
	}
	at := g.assign.Pos()
	for _, builtin := range []string{"append", "cap"} {
		if !g.Builtin(builtin, at) {
			return builtin + " is redeclared there"
		}
	}
	from, to := g.assign.End(), g.assign.End()
	if hoisted != nil {
		from, to = hoisted.Pos(), hoisted.End()
	}
	if g.Commented(at, from) || g.Commented(to, g.assign.End()) {
		return "there is a comment in the statement"
	}
	name := c.Edits.Import(g.Package.Fset, g.Package.Types, g.File, "slices")
	if o := g.Lookup(name, at); o != nil {
		if p, ok := o.(*types.PkgName); !ok || p.Imported().Path() != "slices" {
			return "a variable has the name of package slices there"
		}
	}
	end, list := g.End(g.assign), g.Text(g.list)
	inner, outer := end+"\t", end
	if end == "; " { // the code is on one line
		inner, outer = " ", " "
	}
	grow := func(poison string) string {
		return fmt.Sprintf("if cap(%[1]s) == 0 {%[2]s%[1]s = %[3]s.Grow(%[1]s, %[4]d)%[5]s%[6]s}%[7]s", list, inner, name, n, poison, outer, end)
	}
	poison := ""
	if g.Builtin("len", at) {
		poison = end + change.Poison(fmt.Sprintf("%[1]s[len(%[1]s):cap(%[1]s)]", list))
	}
	if hoisted == nil {
		c.Edits.InsertBoth(g.Package.Fset, at, grow(""), grow(poison))
		return ""
	}
	next := g.Fresh("next")
	for i := 2; slices.Contains(names[g.Decl], next); i++ {
		next = g.Fresh(fmt.Sprint("next", i))
	}
	names[g.Decl] = append(names[g.Decl], next)
	rest := fmt.Sprintf("%s = append(%s, %s)", list, list, next)
	c.Edits.Replace(g.Package.Fset, at, from, next+" := ")
	c.Edits.ReplaceBoth(g.Package.Fset, to, g.assign.End(), end+grow("")+rest, end+grow(poison)+rest)
	return ""
}

// hoisted returns the appended value that must be evaluated before the capacity is allocated,
// because its evaluation may call a function or panic. It returns nil if there is none. If the
// value were evaluated later, a panic would leave a slice with capacity instead of a nil slice.
func (g *growing) hoisted() (value ast.Expr, why string) {
	for _, arg := range g.call.Args[1:] {
		if !g.locals.Calm(arg) {
			value = arg
		}
	}
	if value == nil {
		return nil, ""
	}
	return value, g.locals.Hoist(g.call)
}
