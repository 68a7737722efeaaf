package own

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// span identifies an expression by its range in the source.
type span struct{ from, to token.Pos }

// A choice is a chosen expression with its ask.
type choice struct {
	ask  *Ask
	node ast.Node
}

// A pass is the state of editing one package.
type pass struct {
	*rewrite.Code
	callers   *callers
	library   bool // the module requires Coppice
	module    Reach
	chosen    map[span]choice
	gone      map[ast.Node]bool // type expressions that edits of chosen variables remove
	result    Given
	owners    map[string]*owner // owners by struct name
	edits     edits.Set
	threads   map[*ast.FuncDecl]thread
	home      *ast.File  // the file that gets the type of the fields; nil for a new file
	chunks    chunksType // type of the fields; for slab.Chunks, only the method names are used
	needs     map[string]bool
	visited   Place                      // the chosen place that is being edited
	nextNames map[*ast.FuncDecl][]string // names of variables that edits declare
	arena     *arenaForm                 // arena that provides the values; nil if slabs do
}

// newPass returns the initial state for editing a package.
func newPass(pkg *packages.Package, module Reach) *pass {
	return &pass{
		Code: rewrite.CodeOf(pkg), callers: callersOf(pkg, module), module: module,
		chosen: map[span]choice{}, gone: map[ast.Node]bool{}, result: Given{Done: map[ast.Node]string{}, Left: map[ast.Node]string{}, Touched: map[Place][][2]token.Pos{}},
		owners: map[string]*owner{}, threads: map[*ast.FuncDecl]thread{}, nextNames: map[*ast.FuncDecl][]string{}, needs: map[string]bool{}, chunks: chunksType{names: allNames[0]},
	}
}

// at returns the position of pos regardless of line directives, as package reach expects.
func (p *pass) at(pos token.Pos) token.Position { return p.Fset.PositionFor(pos, false) }

// notNil reports whether a parameter is known not to be nil at a node.
func (p *pass) notNil(v *types.Var, n ast.Node) bool {
	return p.module.NotNil(p.at(v.Pos()), p.at(n.Pos()), p.at(n.End()))
}

// placeOf returns the file and the offset of an expression.
func (p *pass) placeOf(n ast.Node) Place {
	file := p.Fset.File(n.Pos())
	return Place{file.Name(), file.Offset(n.Pos())}
}

// replace adds an edit on behalf of the site that is being visited.
func (p *pass) replace(from, to token.Pos, text string) {
	p.edits.Replace(p.Fset, from, to, text)
	p.result.Touched[p.visited] = append(p.result.Touched[p.visited], [2]token.Pos{from, to})
}

// A thread is the result of adding the owner to a function as a parameter: the name of the
// parameter, or the reason why that is not possible.
type thread struct{ name, why string }

// An owner is a struct with the slabs that are added to it.
type owner struct {
	*rewrite.Owner
	slabs []*slab
}

// A slab hands out values of one type.
type slab struct {
	name   string // name of the field
	plural string // plural of the type's name, for the field's comment
	typ    types.Type
}

// An arenaForm describes how values come from an arena: through a field of the owner, which the new
// function sets.
type arenaForm struct {
	decl  *ast.FuncDecl // function that gets a variant with an arena
	owner *owner
	field string // name of the owner's field
	name  string // name of the new function

	parameter string // name of the new function's arena parameter
	Wish
}

// source returns the expression for the arena: a field of the owner, or the parameter of the new
// function.
func (a *arenaForm) source(where string) string {
	if where == a.parameter {
		return where
	}
	return where + "." + a.field
}
