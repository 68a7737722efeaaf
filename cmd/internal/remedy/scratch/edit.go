package scratch

import (
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// mostExits is the maximum number of exits of a loop. The statements that copy and clear are
// inserted before each exit, so with more exits the edit would be longer than the loop.
const mostExits = 3

// edit generates the edits for the variable of a site. If that is not possible, it returns the
// reason.
func (g *growing) edit() string {
	if g.temporary() {
		return g.editTemporary()
	}
	return g.editLoop()
}

// editLoop generates the edits for a loop, so that the appended elements are collected on the
// owner's stack. If that is not possible, it returns the reason.
func (g *growing) editLoop() string {
	if why := g.refuseLoop(); why != "" {
		return why
	}
	fset, edits := g.Package.Fset, &g.change.Edits
	field := g.addField()
	stack := g.owner.Name() + "." + field
	mark, top := g.Fresh(g.title()+"Mark"), ""
	if g.Calls(g.loop) { // a called function may call this function again, and panic
		top = g.Fresh(g.title() + "Top")
	}
	w := g.watch(stack)
	pop := func(keep bool, end string) (text, witness string) {
		var lines []string
		if keep {
			lines = append(lines, fmt.Sprintf("%s = append(%s, %s[%s:%s]...)", g.v.Name(), g.v.Name(), stack, mark, top))
		}
		lines = append(lines, g.clears(stack, mark, end)...)
		cut := fmt.Sprintf("%s = %s[:%s]", stack, stack, mark)
		poisoned := slices.Concat([]string{w.pop(stack)}, lines, []string{change.Poison(stack + "[" + mark + ":]"), cut})
		return strings.Join(append(lines, cut), end), strings.Join(poisoned, end)
	}
	end := g.End(g.loop)
	start := fmt.Sprintf("%s := len(%s)%s", mark, stack, end)
	if top != "" {
		start += fmt.Sprintf("%s := %s%s", top, mark, end)
	}
	edits.InsertBoth(fset, g.loop.Pos(), start, w.nilCheck()+end+start+w.push(stack)+end)
	for _, a := range g.uses.appends {
		if g.loop.Pos() > a.Pos() || a.Pos() >= g.loop.End() {
			continue
		}
		list := a.Rhs[0].(*ast.CallExpr).Args[0]
		edits.InsertBoth(fset, a.Pos(), "", w.check(stack)+g.End(a))
		edits.Replace(fset, a.Lhs[0].Pos(), a.Lhs[0].End(), stack)
		from, note := stack, ""
		if top != "" {
			from, note = fmt.Sprintf("%s[:%s]", stack, top), fmt.Sprintf("%s%s = len(%s)", g.End(a), top, stack)
		}
		edits.Replace(fset, list.Pos(), list.End(), from)
		edits.InsertBoth(fset, g.After(a), note, note+g.End(a)+w.grew(stack))
	}
	for _, exit := range g.exits(g.loop) {
		text, witness := pop(g.handsOut(exit), g.End(exit))
		edits.InsertBoth(fset, exit.Pos(), text+g.End(exit), witness+g.End(exit))
	}
	if !change.Endless(g.loop) {
		text, witness := pop(true, end)
		edits.InsertBoth(fset, g.After(g.loop), end+text, end+witness)
	}
	return ""
}

// refuseLoop returns the reason that a stack cannot collect the elements that a loop appends, or ""
// if it can.
func (g *growing) refuseLoop() string {
	within := func(n ast.Node) bool { return g.loop.Pos() <= n.Pos() && n.Pos() < g.loop.End() }
	exits := g.exits(g.loop)
	for _, name := range g.uses.others {
		leaves := slices.ContainsFunc(exits, func(s ast.Stmt) bool { return s.Pos() <= name.Pos() && name.Pos() < s.End() })
		switch {
		case within(name) && !leaves:
			return g.v.Name() + " is used in the loop for more than append"
		case name.Pos() < g.loop.Pos():
			return g.v.Name() + " is used before the loop for more than append"
		}
	}
	if slices.ContainsFunc(g.uses.reads, func(e ast.Expr) bool { return within(e) }) {
		return g.v.Name() + " is read in the loop"
	}
	if slices.ContainsFunc(g.uses.lengths, func(e *ast.CallExpr) bool { return within(e) }) {
		return "the loop reads the length of " + g.v.Name()
	}
	if len(exits) > mostExits {
		return "the loop has so many exits that the change would be longer than the loop"
	}
	for _, exit := range exits {
		if _, ok := exit.(*ast.ReturnStmt); !ok || !g.inList(exit) {
			return "coppice fix puts the copy before each return statement of the loop, but the loop has another exit"
		}
	}
	if g.IsResult(g.v) && g.Recovers() {
		return "a deferred function may return what the loop left when it panicked"
	}
	return ""
}

// handsOut reports whether a statement that leaves the loop returns the slice.
func (g *growing) handsOut(exit ast.Stmt) bool {
	r := exit.(*ast.ReturnStmt)
	return len(r.Results) == 0 && g.IsResult(g.v) || g.Mentions(r, g.v) != nil
}

// editTemporary generates the edits for a slice that is never kept, so that the slice uses the
// scratch space of the owner. While the slice is in use, the owner's field is nil. A nested call
// then allocates its own memory and cannot overwrite the slice. If the edits are not possible,
// editTemporary returns the reason.
func (g *growing) editTemporary() string {
	if why := g.refuseTemporary(); why != "" {
		return why
	}
	fset, edits := g.Package.Fset, &g.change.Edits
	field := g.owner.Name() + "." + g.addField()
	w := g.watch(field)
	give := func(end string) (text, witness string) {
		clears, back := g.clears(g.v.Name(), "", end), fmt.Sprintf("%s = %s[:0]", field, g.v.Name())
		poisoned := slices.Concat([]string{w.pop("nil")}, clears, []string{change.Poison(g.v.Name()), back})
		return strings.Join(append(clears, back), end), strings.Join(poisoned, end)
	}
	end := g.End(g.birth)
	taken, used := fmt.Sprintf("%s := %s[:0]", g.v.Name(), field), fmt.Sprintf("%s%s = nil // in use", end, field)
	edits.ReplaceBoth(fset, g.birth.Pos(), g.birth.End(), taken, w.nilCheck()+end+taken)
	edits.InsertBoth(fset, g.After(g.birth), used, used+end+w.push("nil"))
	for _, a := range g.uses.appends {
		edits.InsertBoth(fset, a.Pos(), "", w.check("nil")+g.End(a))
	}
	for _, exit := range g.exits(g.Decl.Body) {
		if exit.Pos() > g.birth.Pos() {
			text, witness := give(g.End(exit))
			edits.InsertBoth(fset, exit.Pos(), text+g.End(exit), witness+g.End(exit))
		}
	}
	last := g.home[len(g.home)-1]
	if !g.Ends(last) {
		text, witness := give(end)
		edits.InsertBoth(fset, g.After(last), end+text, end+witness)
	}
	return ""
}

// refuseTemporary returns the reason that a slice that is never kept cannot use scratch space, or
// "" if it can.
func (g *growing) refuseTemporary() string {
	if _, ok := g.v.Type().(*types.Slice); !ok {
		return "the type of " + g.v.Name() + " has a name"
	}
	if !slices.Equal(g.home, g.Decl.Body.List) {
		return g.v.Name() + " is not declared in the outermost block"
	}
	if spec, ok := g.birth.(*ast.AssignStmt); ok {
		if lit, ok := spec.Rhs[0].(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
			return g.v.Name() + " is not empty where it is declared"
		}
	}
	if decl, ok := g.birth.(*ast.DeclStmt); ok && len(decl.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values) > 0 {
		return g.v.Name() + " is declared in an unusual way"
	}
	if g.Commented(g.birth.Pos(), g.birth.End()) || !strings.HasPrefix(g.End(g.birth), "\n") || !g.EndsLine(g.After(g.birth)) {
		return "the declaration is not on a line by itself"
	}
	last := g.home[len(g.home)-1]
	if sig := g.Package.TypesInfo.Defs[g.Decl.Name].(*types.Func).Signature(); sig.Results().Len() > 0 {
		if _, ok := last.(*ast.ReturnStmt); !ok {
			return "the function does not end with return"
		}
	}
	exits := 0
	for _, exit := range g.exits(g.Decl.Body) {
		if exit.Pos() < g.birth.Pos() {
			continue
		}
		exits++
		switch {
		case g.Mentions(exit, g.v) != nil:
			return "a return reads " + g.v.Name()
		case !g.inList(exit):
			return "coppice fix puts the copy before each return statement, but one has no place for it"
		}
	}
	if exits > mostExits {
		return "the function has so many exits that the change would be long"
	}
	return ""
}

// clears returns the statements that clear the elements of a slice from the given index on, or none
// if the elements have no pointers. It does not use clear in language versions before go1.21, which
// lack it.
func (g *growing) clears(list, from, end string) []string {
	zero := g.zero()
	if zero == "" {
		return nil
	}
	part, index := list, "i"
	if from != "" {
		part, index = list+"["+from+":]", from+"+i"
	}
	if version.Compare(g.Language, "go1.21") >= 0 && g.Builtin("clear", g.Decl.Body.Lbrace+1) && g.mentionsName("clear") == nil && rewrite.Shadowed(g.Package, "clear") == "" {
		return []string{"clear(" + part + ")"}
	}
	return []string{fmt.Sprintf("for i := range %s {%s\t%s[%s] = %s%s}", part, end, list, index, zero, end)}
}

// mentionsName returns an identifier that declares the given name in the function, or nil if there
// is none.
func (g *growing) mentionsName(name string) (at *ast.Ident) {
	for id := range g.Package.TypesInfo.Defs {
		if id.Name == name && g.Decl.Pos() <= id.Pos() && id.Pos() < g.Decl.End() {
			at = id
		}
	}
	return at
}

// zero returns the source of the zero value of an element, or "" if the elements have no pointers.
func (g *growing) zero() string {
	if !change.HasPointers(g.elem) {
		return ""
	}
	switch g.elem.Underlying().(type) {
	case *types.Basic:
		if g.elem.Underlying() == types.Typ[types.UnsafePointer] {
			return "nil"
		}
		return `""`
	case *types.Struct, *types.Array:
		name, _ := g.spell(g.File, g.elem)
		return name + "{}"
	}
	return "nil"
}
