package own

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// If the address of a variable is taken only in return statements, as in
//
//	token := p.peek()
//	return &token.Pos
//
// then the return statement is the last to read the variable, and no other code has its address. So
// the function may return a copy, and the variable stays on the stack. If the function returns the
// address of a field of a large value, only the field uses heap memory. The address may also be an
// argument or an element of a returned value, as in return &Node{Pos: &token.Pos}.

// returned returns the expressions in return statements that take the address of a variable and so
// move it to the heap, each with its enclosing nodes. It returns nil if the address is also taken
// elsewhere.
func (p *pass) returned(s rewrite.Site) (all []rewrite.Site) {
	v := p.TypesInfo.Defs[s.Node.(*ast.Ident)]
	if v == nil || s.Function() == nil || isResult(v, s.Function(), p.TypesInfo) {
		return nil
	}
	var last *ast.ReturnStmt // latest return statement with an address
	alone := true
	p.Uses(s, func(name *ast.Ident, stack []ast.Node) {
		statement := returnAround(stack)
		if statement == nil {
			return
		}
		at := p.partAt(stack)
		address, ok := stack[at-1].(*ast.UnaryExpr)
		if !ok || address.Op != token.AND {
			return
		}
		alone = alone && statement != last
		last = statement
		if slices.ContainsFunc(statement.Results, p.Calls) { // a call with the address may change what the statement reads
			alone = alone && p.usesIn(statement, v) == 1
		}
		all = append(all, rewrite.Site{Kind: rewrite.Variable, Type: types.Unalias(p.TypesInfo.TypeOf(address.X)), Node: address, Stack: slices.Clone(stack[:at])})
	})
	uncopied := func(part rewrite.Site) bool { return rewrite.Locked(part.Type) }
	if !alone || len(all) != len(p.SharedAt(v, s.Function())) || slices.ContainsFunc(all, uncopied) {
		return nil
	}
	return all
}

// returnAround returns the innermost statement in a stack of nodes if it is a return statement, and
// nil otherwise.
func returnAround(stack []ast.Node) *ast.ReturnStmt {
	for _, n := range slices.Backward(stack) {
		if statement, ok := n.(ast.Stmt); ok {
			r, _ := statement.(*ast.ReturnStmt)
			return r
		}
	}
	return nil
}

// usesIn counts the uses of a variable in a statement.
func (p *pass) usesIn(statement ast.Stmt, v types.Object) (n int) {
	ast.Inspect(statement, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok && p.TypesInfo.Uses[name] == v {
			n++
		}
		return true
	})
	return n
}

// isPart reports whether the list of addresses is not empty and each address points to a part of a
// variable, not to the whole variable.
func isPart(all []rewrite.Site) bool {
	whole := func(s rewrite.Site) bool {
		_, ok := ast.Unparen(s.Node.(*ast.UnaryExpr).X).(*ast.Ident)
		return ok
	}
	return len(all) > 0 && !slices.ContainsFunc(all, whole)
}

// copyReturned makes a function return copies of a variable that come from slabs. It returns the
// expression for the slabs, or the reason why the change is not possible.
func (p *pass) copyReturned(variable rewrite.Site, all []rewrite.Site, a *Ask) (where, why string) {
	switch size := max(p.TypesSizes.Sizeof(variable.Type), types.SizesFor("gc", "amd64").Sizeof(variable.Type)); {
	case size > mostPassed:
		return "", fmt.Sprintf("the variable of %d bytes would be on the stack", size)
	case p.module.Beside() != "":
		return "", "a copy of the part alone would be returned, and " + p.module.Beside() + " may find the rest by its address"
	}
	if why := cmp.Or(p.RefusePinned(variable), p.module.Pinned(variable.Type)); why != "" {
		return "", why // memory to which the rest of the variable refers would be freed earlier
	}
	var places []string
	for _, s := range all {
		if why := rewrite.First(s, p.RefusePlace, p.RefuseFunction, p.RefuseType, p.RefusePinned); why != "" {
			return "", why
		}
		if why := p.refuseSource(s, a); why != "" {
			return "", why
		}
	}
	for _, s := range all {
		where, why := p.place(s, p.owners[a.Owner])
		if why != "" {
			return "", why
		}
		places = append(places, where)
	}
	for i, s := range all {
		var inWitness string
		where, inWitness = p.source(s, a, places[i])
		p.change(s, where, inWitness)
	}
	p.needs["New"], p.needs["Alloc"], p.result.Parts = true, true, true
	return where, ""
}
