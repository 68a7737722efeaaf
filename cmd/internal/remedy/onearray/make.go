package onearray

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const aboutOneArray = `Slices that are made side by side share one backing array: one allocation instead of several.
Each keeps its length and its capacity. Because of the full slice expressions, an append to one of them never writes into another: it copies, as before.
Their elements have no pointers. The array is alive as long as any of the slices is.
A length that is negative or too large panics as before, with the same message.`

const undoOneArray = "Make each slice separately again, and remove the shared array. Code outside the function is not affected."

// oneArray is the maker. It changes slices of the same type that are allocated one after the other,
// so that they share one array.
func oneArray(r *change.Request) (*change.Change, error) {
	c := &change.Change{About: aboutOneArray, Undo: undoOneArray, Price: []string{"assumed of other modules: none sets finalizers on elements"}}
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	locals := rewrite.LocalsOf(r.Package)
	done := map[ast.Expr]bool{}
	for _, s := range r.Sites {
		around, why := r.Scene(s)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		g := &arrays{Scene: around, world: world, locals: locals}
		if done[g.self()] {
			c.Did(s, "shares the array of the others")
			continue
		}
		if why := g.find(s); why != "" {
			c.Leave(s, why)
			continue
		}
		for _, p := range g.parts {
			done[p.expr] = true
		}
		c.Did(s, g.join(c))
	}
	if version.Compare(r.Language, "go1.18") < 0 {
		return c, nil
	}
	return c, c.AddWitness(r, "array.go")
}

// arrays describes a group of slices that will share one array. They are allocated in consecutive
// statements.
type arrays struct {
	*change.Scene
	world  *change.World
	locals rewrite.Locals
	list   []ast.Stmt
	first  int // index in list of the statement with the first slice
	parts  []part
	wrong  ast.Expr // length that may be invalid, so that make panics; nil if there is none
}

// A part is one of the slices that will share the array.
type part struct {
	expr     ast.Expr // a call to make, or a literal
	written  ast.Expr // the type expression in expr
	elements []ast.Expr
	// These fields are set for a call to make. If the call has no capacity argument, capacity is
	// the length.
	length, capacity ast.Expr
}

// self returns the expression of the site itself.
func (g *arrays) self() ast.Expr {
	e, _ := g.Path[len(g.Path)-1].(ast.Expr)
	return e
}

// find finds all slices that can share an array with the slice of the site. It returns the reason
// if the site must be left unchanged, and "" otherwise.
func (g *arrays) find(s *site.Site) string {
	self, ok := g.part(g.self())
	if !ok {
		return "it is neither a make nor a literal without indices"
	}
	elem, ok := g.Package.TypesInfo.TypeOf(self.expr).Underlying().(*types.Slice)
	if !ok || s.Facts.Pointers != site.NoPointers {
		return "its elements have pointers"
	}
	if typekey.DependsOnParameter(elem.Elem()) {
		return "the type of its elements is a type parameter: " + elem.Elem().String()
	}
	if change.HasPointers(elem.Elem()) { // the type has pointers in this build
		return "its elements have pointers"
	}
	if g.SizeOf(elem.Elem()) == 0 {
		return "its elements take no memory"
	}
	if why := g.world.Pinned(elem.Elem()); why != "" {
		return why
	}
	var at int
	if g.list, at = g.Scene.List(); at < 0 {
		return "it is not in a list of statements"
	}
	lines := g.lines(s)
	if !slices.ContainsFunc(g.inStatement(g.list[at], self, lines), func(p part) bool { return p.expr == self.expr }) {
		return "it is made only under a condition, or inside a larger expression"
	}
	g.first = at
	for g.first > 0 && len(g.inStatement(g.list[g.first-1], self, lines)) > 0 {
		g.first--
	}
	last := g.first
	for ; last < len(g.list); last++ {
		more := g.inStatement(g.list[last], self, lines)
		if len(more) == 0 {
			break
		}
		g.parts = append(g.parts, more...)
	}
	if len(g.parts) < 2 {
		return "no other slice of its type is made right beside it"
	}
	return g.refuse(g.list[g.first:last])
}

// lines returns the site's line, and the lines of the proposal's other sites that allocate beside
// it.
func (g *arrays) lines(s *site.Site) []int {
	all := []int{s.Line}
	for _, other := range g.Sites {
		if other.File == s.File && slices.Contains(s.Facts.Beside, other.Line) {
			all = append(all, other.Line)
		}
	}
	return all
}

// part describes the slice that a call to make or a literal creates. The second result is false for
// other expressions.
func (g *arrays) part(e ast.Expr) (part, bool) {
	switch e := e.(type) {
	case *ast.CompositeLit:
		keyed := func(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok }
		if e.Type == nil || len(e.Elts) == 0 || slices.ContainsFunc(e.Elts, keyed) {
			return part{}, false
		}
		return part{expr: e, written: e.Type, elements: e.Elts}, true
	case *ast.CallExpr:
		name, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok || name.Name != "make" || !g.Package.TypesInfo.Types[e.Fun].IsBuiltin() || len(e.Args) < 2 {
			return part{}, false
		}
		return part{expr: e, written: e.Args[0], length: e.Args[1], capacity: e.Args[len(e.Args)-1]}, true
	}
	return part{}, false
}

// inStatement returns the slices that a statement always allocates, if they have the same type as
// the given slice and are created in the same way, by make or by a literal.
func (g *arrays) inStatement(s ast.Stmt, like part, lines []int) (all []part) {
	switch s.(type) {
	case *ast.AssignStmt, *ast.DeclStmt, *ast.ReturnStmt, *ast.ExprStmt:
	default:
		return nil
	}
	want := g.Package.TypesInfo.TypeOf(like.expr)
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Expr:
			p, ok := g.part(n)
			if ok && types.Identical(g.Package.TypesInfo.TypeOf(n), want) && (p.length == nil) == (like.length == nil) && slices.Contains(lines, g.Line(n.Pos())) {
				all = append(all, p)
				return false
			}
			return g.evaluatedOnce(n)
		}
		return true
	})
	return all
}

// evaluatedOnce reports whether the operands of an expression are evaluated exactly once whenever
// the expression is evaluated, and become parts of its value or arguments of a call.
func (g *arrays) evaluatedOnce(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr, *ast.CompositeLit, *ast.KeyValueExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		return !g.Package.TypesInfo.Types[e.Fun].IsBuiltin()
	}
	return false
}

// refuse returns the reason that the slices cannot share an array, or "" if they can. The array is
// allocated before the first of the statements, so elements and lengths must have the same values
// there as in their own statements.
func (g *arrays) refuse(all []ast.Stmt) string {
	var needed []ast.Expr
	var uncertain []part
	var makes []*ast.CallExpr
	places := []token.Pos{all[0].Pos()} // positions where the needed expressions are written
	for _, p := range g.parts {
		places = append(places, p.expr.Pos())
		if g.Commented(p.expr.Pos(), p.expr.End()) {
			return "there is a comment in it"
		}
		needed = append(needed, p.elements...)
		if p.length != nil {
			needed = append(needed, p.length, p.capacity)
			if !g.fits(p.length) || !g.fits(p.capacity) {
				return "its length is not an int"
			}
			makes = append(makes, p.expr.(*ast.CallExpr))
			if !g.locals.Certain(p.expr.(*ast.CallExpr), g.Decl) {
				uncertain = append(uncertain, p)
			}
		}
	}
	for _, e := range needed {
		if !g.pure(e) {
			return "its operands may change, fail or have effects before it is made: " + g.Text(e)
		}
		for _, s := range all {
			if name := g.changes(s, e); name != "" {
				return name + " changes beside it"
			}
		}
		for _, at := range places {
			if name := g.means(e, at); name != "" {
				return name + " means something else beside it"
			}
		}
	}
	switch {
	case len(makes) > 0 && !g.locals.Joined(makes, g.Decl):
		return "the sum of their lengths may overflow an int on 32-bit computers"
	case len(uncertain) == 0:
		return ""
	case slices.ContainsFunc(all, func(s ast.Stmt) bool { return g.Calls(s) }):
		return "a make may panic, and a call beside it would no longer be made"
	case !g.ownVariables(all):
		return "a make may panic, and what is assigned before the panic can be seen after it"
	case slices.ContainsFunc(uncertain, func(p part) bool { return p.length != p.capacity || g.Text(p.length) != g.Text(uncertain[0].length) }):
		return "a make may panic, and the message of the panic would change: their lengths differ, and may be negative or too large"
	}
	g.wrong = uncertain[0].length
	return ""
}

// changes returns the name of a variable in an expression that a statement changes, or "" if there
// is none.
func (g *arrays) changes(s ast.Stmt, e ast.Expr) (changed string) {
	assign, ok := s.(*ast.AssignStmt)
	if !ok {
		return ""
	}
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v := g.Package.TypesInfo.Uses[name]
		for _, left := range assign.Lhs {
			if root := g.locals.Root(left); root != nil && root == v {
				changed = name.Name
			}
		}
		return true
	})
	return changed
}

// means returns a name in an expression that would have a different meaning at the given position,
// or "" if there is none. It also checks the name int if the expression has to be converted to int.
func (g *arrays) means(e ast.Expr, at token.Pos) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			name = cmp.Or(name, g.means(n.X, at))
			return false
		case *ast.Ident:
			if o := g.Package.TypesInfo.Uses[n]; o != nil && g.Lookup(n.Name, at) != o {
				name = n.Name
			}
		}
		return true
	})
	if !g.isInt(e) && !g.Builtin("int", at) {
		name = cmp.Or(name, "int")
	}
	return name
}

// join adds the edits to the change, and returns their description.
func (g *arrays) join(c *change.Change) string {
	stmt := g.list[g.first]
	name := g.name()
	made := ""
	if g.parts[0].length == nil {
		var all []string
		for _, p := range g.parts {
			for _, e := range p.elements {
				all = append(all, g.Text(e))
			}
		}
		made = fmt.Sprintf("%s{%s}", g.Text(g.parts[0].written), strings.Join(all, ", "))
	} else {
		made = fmt.Sprintf("make(%s, %s)", g.Text(g.parts[0].written), g.lengths())
	}
	c.Edits.Insert(g.Package.Fset, stmt.Pos(), name+" := "+made+g.End(stmt))
	for i, p := range g.parts {
		c.Edits.ReplaceBoth(g.Package.Fset, p.expr.Pos(), p.expr.End(), name+g.slice(i), g.watchedSlice(name, i))
	}
	return fmt.Sprintf("%d slices share one array", len(g.parts))
}

// lengths returns the arguments of the call to make that allocates the array. If a length may be
// invalid, the array has that length, and enough capacity for the other slices. An invalid length
// then causes the same panic as before, because the runtime checks the length before the capacity.
func (g *arrays) lengths() string {
	if g.wrong == nil {
		return g.sum(len(g.parts))
	}
	return g.operand(g.wrong) + ", " + g.sum(len(g.parts))
}

// name returns the name of the array. Groups of slices in the same statement list, which other
// proposals may join, must get different names. So the name contains the number of slices without
// pointers that are allocated before the group.
func (g *arrays) name() string {
	earlier := 0
	for _, s := range g.list[:g.first] {
		ast.Inspect(s, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if _, ok := g.part(e); ok {
					if list, ok := g.Package.TypesInfo.TypeOf(e).Underlying().(*types.Slice); ok && !change.HasPointers(list.Elem()) {
						earlier++
					}
				}
			}
			return true
		})
	}
	name := "both"
	if len(g.parts) > 2 {
		name = "backing"
	}
	if earlier > 0 {
		name += fmt.Sprint(earlier + 1)
	}
	return g.Fresh(name)
}

// size returns the number of array elements that belong to a part. If the number is an expression
// of the program, size returns it as expr. Otherwise, size returns it as n.
func (g *arrays) size(p part) (n int64, expr string) {
	if p.length == nil {
		return int64(len(p.elements)), ""
	}
	if v := g.Package.TypesInfo.Types[p.capacity].Value; v != nil {
		n, _ = constant.Int64Val(constant.ToInt(v))
		if _, literal := ast.Unparen(p.capacity).(*ast.BasicLit); literal {
			return n, ""
		}
		return 0, g.operand(p.capacity) // the new code keeps the name of a constant
	}
	return 0, g.operand(p.capacity)
}

// operand returns the source of an expression as an operand of a sum. A constant expression may
// need parentheses, because its operators may bind like the operators of a sum, or may round.
func (g *arrays) operand(e ast.Expr) string {
	text := g.Text(e)
	switch {
	case !g.isInt(e):
		return "int(" + text + ")"
	case g.Package.TypesInfo.Types[e].Value != nil:
		return enclosed(text)
	}
	return text
}

// isInt reports whether the type of an expression is int, so that no conversion to int is
// necessary.
func (g *arrays) isInt(e ast.Expr) bool {
	return types.Identical(g.Package.TypesInfo.TypeOf(e), types.Typ[types.Int])
}

// enclosed encloses the source of an expression in parentheses, unless the expression is a single
// operand.
func enclosed(text string) string {
	e, err := parser.ParseExpr(text)
	if err == nil {
		switch e.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.ParenExpr:
			return text
		}
	}
	return "(" + text + ")"
}

// sum returns the total number of elements of the first parts as an expression, such as 2*n, n+m or
// 8.
func (g *arrays) sum(parts int) string {
	var order []string
	times := map[string]int{}
	number := int64(0)
	for _, p := range g.parts[:parts] {
		n, expr := g.size(p)
		number += n
		if expr != "" {
			if times[expr]++; times[expr] == 1 {
				order = append(order, expr)
			}
		}
	}
	var terms []string
	for _, expr := range order {
		if times[expr] > 1 {
			expr = fmt.Sprintf("%d*%s", times[expr], enclosed(expr))
		}
		terms = append(terms, expr)
	}
	if number > 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(number))
	}
	return strings.Join(terms, "+")
}

// slice returns the slice expression for a part, such as [:n:n], [n:2*n:2*n] or [2*n:].
func (g *arrays) slice(i int) string {
	from, to := "", g.sum(i+1)
	if i > 0 {
		from = g.sum(i)
	}
	p := g.parts[i]
	if p.length == p.capacity {
		if i == len(g.parts)-1 && g.wrong == nil {
			return fmt.Sprintf("[%s:]", from)
		}
		return fmt.Sprintf("[%s:%s:%s]", from, to, to)
	}
	length := g.operand(p.length)
	if v := g.Package.TypesInfo.Types[p.length].Value; v != nil && v.ExactString() == "0" && i > 0 {
		return fmt.Sprintf("[%s:%s:%s]", from, from, to)
	}
	if i > 0 {
		length = from + "+" + length
	}
	return fmt.Sprintf("[%s:%s:%s]", from, length, to)
}

// watchedSlice returns the slice expression for a part of a shared array in the witness form, which
// checks it. In language versions before go1.18, which have no generic functions, the expression is
// not checked.
func (g *arrays) watchedSlice(array string, i int) string {
	text := array + g.slice(i)
	if version.Compare(g.Language, "go1.18") < 0 {
		return text
	}
	from := "0"
	if i > 0 {
		from = g.sum(i)
	}
	return fmt.Sprintf("coppiceWitnessPart(%s, %s, %s, %s)", text, array, from, g.sum(i+1))
}

// guard accepts all sites, except for packages that import unsafe, for which it returns a Refused
// error.
func guard(r change.Request) (change.Request, change.Change, error) {
	if slices.Contains(r.Package.Types.Imports(), types.Unsafe) {
		return r, change.Change{}, change.Refusef("the package imports unsafe: it may access values as memory, and need them to be allocated one by one")
	}
	return r, change.Change{}, nil
}
