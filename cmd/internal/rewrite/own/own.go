package own

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// Give generates the edits that satisfy asks. Expressions that cannot be changed safely are listed
// in Given.Left, with the reason. The parameter module determines which code can reach an owner.
// Give returns an error if nothing in the package can be changed.
func Give(pkg *packages.Package, asks []Ask, library bool, module Reach) (Given, error) {
	if err := rewrite.Compiles(pkg); err != nil {
		return Given{}, err
	}
	if err := rewrite.NoCgo(pkg); err != nil {
		return Given{}, err
	}
	p := newPass(pkg, module)
	p.library = library
	if !library {
		p.home = p.homeOf(asks)
		p.chunks = p.chunksType()
	}
	for i := range asks {
		p.choose(&asks[i])
	}
	p.Variables(p.noteTypes)
	p.Sites(p.visit)
	p.Parameters(p.visit)
	p.Variables(p.visit) // last: the text inserted after a variable's value must follow the text that a site in the value inserts there
	for _, c := range p.chosen {
		if p.result.Done[c.node] == "" && p.result.Left[c.node] == "" {
			p.result.Left[c.node] = "it is neither &T{...}, new(T), []T{...} or make([]T, n) nor a variable whose address is taken with &"
		}
	}
	if err := p.wire(); err != nil {
		return Given{}, err
	}
	p.result.Edits, p.result.Alloc, p.result.SliceOf = p.edits, p.chunks.alloc, p.chunks.sliceOf
	slices.Sort(p.result.NewParameters)
	return p.result, nil
}

// choose marks the expressions of an ask as chosen. If the owner is not suitable, it records the
// reason instead.
func (p *pass) choose(a *Ask) {
	o, err := p.ownerOf(a.Owner)
	if err == nil {
		err = p.fit(o)
	}
	if home := p.home; err == nil && home != nil && home != p.declaring(a.Owner) {
		err = fmt.Errorf("the type of the fields is in the file of another owner, and %s is declared elsewhere", a.Owner)
	}
	for _, n := range a.Exprs {
		if err != nil {
			p.result.Left[n] = err.Error()
			continue
		}
		p.chosen[span{n.Pos(), n.End()}] = choice{a, n}
	}
}

// visit changes a site if it is chosen. If the site cannot be changed, visit records the reason.
func (p *pass) visit(s rewrite.Site) {
	c, ok := p.chosen[span{s.Node.Pos(), s.Node.End()}]
	if !ok || p.result.Done[c.node] != "" {
		return
	}
	p.visited = p.placeOf(c.node)
	where, why := p.edit(s, c.ask)
	if why != "" {
		p.result.Left[c.node] = why
		return
	}
	p.result.Done[c.node] = where
}

// edit changes a site, and returns the expression from which its values come. If the site is left
// unchanged, edit returns the reason instead.
func (p *pass) edit(s rewrite.Site, a *Ask) (where, why string) {
	var returned []rewrite.Site
	if s.Kind == rewrite.Variable {
		if returned = p.returned(s); isPart(returned) {
			if where, why = p.copyReturned(s, returned, a); why == "" {
				return where, ""
			}
		}
	}
	s.Type = types.Unalias(s.Type)
	if p.arena != nil && s.Kind == rewrite.Appends && p.hoists(s) {
		return p.hoist(s, a)
	}
	if why = p.refusal(s, a); why == "" {
		where, why = p.place(s, p.owners[a.Owner])
	}
	switch {
	case why == "":
		from, inWitness := p.source(s, a, where)
		p.change(s, from, inWitness)
		p.need(s)
		return from, ""
	case len(returned) > 0 && p.RefuseForm(s) != "":
		return p.copyReturned(s, returned, a)
	}
	return "", why
}

// noteTypes records the type expressions that disappear when a chosen variable becomes a pointer.
// One of them may be the last use of an import.
func (p *pass) noteTypes(s rewrite.Site) {
	if _, ok := p.chosen[span{s.Node.Pos(), s.Node.End()}]; ok {
		for _, t := range p.VariableTypes(s) {
			p.gone[t] = true
		}
	}
}

// need records the slab methods that the edit of a site calls.
func (p *pass) need(s rewrite.Site) {
	p.needs["New"] = true
	switch n := s.Node.(type) {
	case *ast.UnaryExpr:
		p.needs["Alloc"] = p.needs["Alloc"] || !p.Zero(n.X)
	case *ast.Ident:
		p.needs["Alloc"] = p.needs["Alloc"] || p.VariableValue(s) != nil
	case *ast.CompositeLit:
		p.needs["SliceOf"] = true
	case *ast.CallExpr:
		name := ast.Unparen(n.Fun).(*ast.Ident).Name
		p.needs["Make"] = p.needs["Make"] || name == rewrite.Makes
		p.needs["Alloc"] = p.needs["Alloc"] || name == rewrite.NewCall && !p.TypesInfo.Types[n.Args[0]].IsType()
	}
}
