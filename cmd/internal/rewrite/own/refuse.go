package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// refusal returns the reason why a site must be left unchanged, or "" if there is none.
func (p *pass) refusal(s rewrite.Site, a *Ask) string {
	ask := []func(rewrite.Site) string{p.RefusePlace, p.RefuseFunction, p.RefuseType, p.RefusePinned, p.RefuseForm}
	if s.Kind == rewrite.Text {
		ask = []func(rewrite.Site) string{p.RefusePlace, p.RefuseFunction, p.RefuseText}
	}
	if why := rewrite.First(s, ask...); why != "" {
		return why
	}
	return p.refuseSource(s, a)
}

// refuseSource returns the reason why the owner's slab or arena cannot hand out the values of a
// site, or "" if it can.
func (p *pass) refuseSource(s rewrite.Site, a *Ask) string {
	if p.arena != nil {
		return p.refuseArena(s)
	}
	return p.refuseSlab(s, a)
}

// refuseSlab returns the reason why a slab cannot hand out the values of a site, or "" if it can.
func (p *pass) refuseSlab(s rewrite.Site, a *Ask) string {
	o := p.owners[a.Owner]
	switch {
	case s.Kind == rewrite.Appends || s.Kind == rewrite.Text:
		return "a slab hands out values and lists whose length is known"
	case types.Identical(s.Type, o.Object):
		return "the owner is such a value itself: each would carry a slab"
	case rewrite.NoSplit(s.Stack[0].(*ast.File), s.Function()):
		return rewrite.NoRoom
	case p.commented(s):
		return "there is a comment where the expression changes"
	case rewrite.LeadsOn(s.Type) && p.outlives(o, a.Instances):
		return fmt.Sprintf("%s may make the values of several results: a chunk would tie each result to the next", o.Name)
	}
	if why := p.generated(s); why != "" {
		return why
	}
	if p.orderOpen(s) {
		return "a call beside a variable might change it, and the order of the two is unspecified"
	}
	if why := p.refuseSize(s); why != "" {
		return why
	}
	if p.lastUse(s, o) {
		return "its file would no longer use an import"
	}
	if why := p.module.Pinned(s.Type); why != "" {
		return why
	}
	name, why := p.spelled(o, s.Type)
	if other := rewrite.Shadowed(p.Package, name); why == "" && other != "" {
		return "the package has the name " + other + " for something else, and the field would have a type of that name"
	}
	return why
}

// generated returns the reason why a site in generated code is left unchanged, or "" for other
// sites.
func (p *pass) generated(s rewrite.Site) (why string) {
	return p.generatedAt(s.Node.Pos(), s.Node.End())
}

// generatedAt returns the reason why generated source between two positions is left unchanged, or
// "" for other source.
func (p *pass) generatedAt(from, to token.Pos) (why string) {
	return generatedAt(p.Package, p.module, from, to)
}

// refuseSize returns the reason why the length or the values of a site cannot be passed as
// arguments of a call, or "" if they can.
func (p *pass) refuseSize(s rewrite.Site) string {
	if call, ok := s.Node.(*ast.CallExpr); ok && s.Kind == rewrite.Makes {
		for _, length := range call.Args[1:] {
			if t := p.TypesInfo.TypeOf(length); p.TypesInfo.Types[length].Value == nil && !types.Identical(t, types.Typ[types.Int]) {
				return "its length is not an int"
			}
		}
		if (p.library || len(call.Args) == 3) && !p.Certain(call, s.Function()) { // the library panics with other messages
			return "its length or its capacity may be invalid, and the message of the panic would change"
		}
	}
	if size := p.passed(s); size > mostPassed {
		return fmt.Sprintf("%d bytes would go through the stack, but the values are now made on the heap", size)
	}
	return ""
}

// mostPassed is the maximum number of bytes that a site may pass to its slab on the stack. Slabs
// are for small values: a chunk would contain only one larger value.
const mostPassed = 1 << 10

// passed returns the number of bytes that a site passes to its slab: the size of a value, or of all
// values of a list. It considers the build in which the values are largest.
func (p *pass) passed(s rewrite.Site) int64 {
	values := int64(1)
	switch n := s.Node.(type) {
	case *ast.Ident:
		if p.VariableValue(s) == nil {
			return 0
		}
	case *ast.UnaryExpr:
		if p.Zero(n.X) {
			return 0
		}
	case *ast.CompositeLit:
		values = int64(len(n.Elts))
	case *ast.CallExpr:
		if s.Kind == rewrite.Makes || p.TypesInfo.Types[n.Args[0]].IsType() {
			return 0
		}
	}
	size := max(p.TypesSizes.Sizeof(s.Type), types.SizesFor("gc", "amd64").Sizeof(s.Type))
	if size > mostPassed { // the product might overflow
		return size
	}
	return values * size
}

// lastUse reports whether the edit of a site removes a type that may be the only use of an import
// of its file.
func (p *pass) lastUse(s rewrite.Site, o *owner) (last bool) {
	var written []ast.Expr
	switch n := s.Node.(type) {
	case *ast.Ident:
		written = p.VariableTypes(s)
	case *ast.UnaryExpr:
		if p.Zero(n.X) {
			written = []ast.Expr{n.X.(*ast.CompositeLit).Type}
		}
	case *ast.CompositeLit:
		written = []ast.Expr{n.Type}
	case *ast.CallExpr:
		if p.TypesInfo.Types[n.Args[0]].IsType() {
			written = n.Args[:1]
		}
	}
	file := s.Stack[0].(*ast.File)
	for _, t := range written {
		ast.Inspect(t, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				last = last || ok && file != p.FileOf(o.Fields.Pos()) && !p.usedBeside(file, func(name *ast.Ident) bool { return p.TypesInfo.Uses[name] == p.TypesInfo.Uses[pkg] })
				return false
			case *ast.Ident:
				if used := p.TypesInfo.Uses[n]; used != nil && used.Pkg() != nil && used.Pkg() != p.Types { // by a dot import
					last = last || !p.usedBeside(file, func(name *ast.Ident) bool { return p.declares(used.Pkg(), name) })
				}
			}
			return true
		})
	}
	return last
}

// declares reports whether a name refers to a declaration of the package pkg.
func (p *pass) declares(pkg *types.Package, name *ast.Ident) bool {
	o := p.TypesInfo.Uses[name]
	return o != nil && o.Parent() == pkg.Scope()
}

// usedBeside reports whether a name for which uses returns true occurs outside the chosen sites.
// Qualified names are ignored.
func (p *pass) usedBeside(within ast.Node, uses func(*ast.Ident) bool) (used bool) {
	ast.Inspect(within, func(n ast.Node) bool {
		if n == nil || used {
			return false
		}
		if _, chosen := p.chosen[span{n.Pos(), n.End()}]; chosen || p.gone[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			used = p.usedBeside(n.X, uses)
			return false
		case *ast.Ident:
			used = uses(n)
		}
		return true
	})
	return used
}

// commented reports whether the text that the edit of a site replaces contains a comment.
func (p *pass) commented(s rewrite.Site) bool {
	within := func(from, to token.Pos) bool { return p.commentedBetween(s, from, to) }
	switch n := s.Node.(type) {
	case *ast.Ident:
		return slices.ContainsFunc(p.VariableWords(s, rewrite.Supply{}), func(w rewrite.Words) bool { return within(w.From, w.To) })
	case *ast.UnaryExpr:
		if !p.Zero(n.X) {
			return within(n.Pos(), n.X.Pos())
		}
	case *ast.CompositeLit:
		return within(n.Pos(), n.Lbrace)
	}
	return within(s.Node.Pos(), s.Node.End())
}

// refuseArena returns the reason why an arena cannot hand out the values of a site, or "" if it
// can.
func (p *pass) refuseArena(s rewrite.Site) string {
	o := p.arena.owner
	switch {
	case types.Identical(s.Type, o.Object):
		return "the owner is such a value itself"
	case rewrite.NoSplit(s.Stack[0].(*ast.File), s.Function()):
		return rewrite.NoRoom
	case p.commented(s):
		return "there is a comment where the expression changes"
	case !p.inOrder(s):
		return "a call beside a variable might change it, and the order of the two is unspecified"
	case p.arena.Lists == NotReturned && s.Kind == rewrite.Appends && p.returnedList(s):
		return growsOnStack
	case s.Kind == rewrite.Appends && p.appended(s.Node.(*ast.CallExpr)) == "":
		return "what is appended may change the list, or is not a variable"
	case p.lastUse(s, o):
		return "its file would no longer use an import"
	}
	if why := p.arena.Stays(memoryOf(s)); why != "" {
		return why
	}
	if why := p.generated(s); why != "" {
		return why
	}
	if why := p.refuseSize(s); why != "" {
		return why
	}
	if why := p.module.PinnedItself(s.Type); why != "" {
		return why
	}
	_, why := p.element(s)
	return why
}
