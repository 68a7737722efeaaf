// Package fromjs turns syntax trees of github.com/tdewolff/parse/v2/js into flat trees of the
// schema in ../../syntax: [Convert] one, a [Converter] one after the other in the same memory.
package fromjs

import (
	"errors"
	"fmt"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// Hints for the Builder: the approximate bytes of source per node, and per byte of text that a tree
// keeps.
const (
	bytesPerNode = 7
	textPart     = 8
)

// Convert returns the flat tree of a tree of the parser. The length of the source is a hint.
func Convert(ast *js.AST, bytes int) (syntaxflat.Tree, error) {
	c := newConverter(flat.BuilderOptions{Nodes: bytes / bytesPerNode, TextBytes: bytes / textPart})
	return c.tree(ast)
}

// A Converter makes a flat tree of one tree of the parser after the other. What it needs meanwhile
// is used again, so that it makes little garbage. It is for one goroutine at a time.
type Converter struct{ c *converter }

// NewConverter returns a Converter.
func NewConverter() *Converter {
	c := newConverter(flat.BuilderOptions{})
	c.lists = &arena.Arena{}
	return &Converter{c}
}

// Tree returns the flat tree of a tree of the parser. After an error the Converter can be used
// again.
func (c *Converter) Tree(ast *js.AST) (syntaxflat.Tree, error) {
	tree, err := c.c.tree(ast)
	c.c.reset()
	return tree, err
}

// Reuse frees a tree. The next one is built in its memory.
func (c *Converter) Reuse(t syntaxflat.Tree) { c.c.b.Reuse(t) }

// Resolved returns the variable that a use means.
func Resolved(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}

// A converter makes flat trees of the parser's. A scope and its variables are made before what
// stands in the scope.
type converter struct {
	b       *syntaxflat.Builder
	vars    map[*js.Var]syntaxflat.Var
	globals []syntaxflat.Var
	scopes  map[*js.Scope]syntaxflat.Scope
	scope   *scope       // the innermost
	lists   *arena.Arena // of the lists of children, which live until the tree's end; nil for the Go heap
	err     error
}

func newConverter(options flat.BuilderOptions) *converter {
	return &converter{
		b:      syntaxflat.NewBuilder(options),
		vars:   map[*js.Var]syntaxflat.Var{},
		scopes: map[*js.Scope]syntaxflat.Scope{},
	}
}

// tree converts a tree.
func (c *converter) tree(ast *js.AST) (syntaxflat.Tree, error) {
	c.enter(&ast.Scope)
	list, own := convertList(c, ast.List, c.stmt), c.scope.to
	c.leave()
	tree, err := c.b.Finish(c.b.AST(list, own, c.globals))
	return tree, errors.Join(c.err, err)
}

// reset forgets a tree, and keeps the memory.
func (c *converter) reset() {
	clear(c.vars)
	clear(c.scopes)
	c.globals = c.globals[:0]
	c.scope, c.err = nil, nil
	c.lists.Reset()
}

// A scope is one that the converter is in.
type scope struct {
	from          *js.Scope
	to            syntaxflat.Scope
	up, function  *scope
	varDeclsSoFar int
}

// convertList converts the items of a slice.
func convertList[From, To any](c *converter, from []From, convert func(From) To) []To {
	if len(from) == 0 {
		return nil
	}
	to := arena.Make[To](c.lists, len(from))
	for i, item := range from {
		to[i] = convert(item)
	}
	return to
}

// enter makes a scope with its variables. Which scope is around it follows from the tree: the
// parser's own links may lead to scopes that it gave up.
func (c *converter) enter(s *js.Scope) {
	in := &scope{from: s, up: c.scope}
	fields := syntaxflat.ScopeFields{
		Declared:    convertList(c, s.Declared, c.declare),
		Undeclared:  convertList(c, s.Undeclared, c.variable),
		VarDecls:    arena.Make[syntaxflat.VarDecl](c.lists, len(s.VarDecls)), // set when they are there
		NumForDecls: s.NumForDecls, NumFuncArgs: s.NumFuncArgs, NumArgUses: s.NumArgUses,
		IsGlobalOrFunc: s.IsGlobalOrFunc, HasWith: s.HasWith,
	}
	if c.scope != nil {
		fields.Parent = c.scope.to
	}
	if in.function = in; c.scope != nil && s.Func != s {
		in.function = c.scope.function
		fields.Func = in.function.to
	}
	in.to = c.b.Scope(fields)
	if in.function == in {
		in.to.SetFunc(in.to)
	}
	c.scopes[s], c.scope = in.to, in
}

func (c *converter) leave() { c.scope = c.scope.up }

// declare makes a variable of a scope.
func (c *converter) declare(v *js.Var) syntaxflat.Var {
	if _, ok := c.vars[v]; ok && c.err == nil {
		c.err = fmt.Errorf("%s is used outside the scope that declares it, or declared by two", v.Data)
	}
	made := c.b.Var(v.Data, v.Uses, syntax.DeclType(v.Decl))
	c.vars[v] = made
	return made
}

// variable returns a variable that is used. One that no scope has declared is global.
func (c *converter) variable(v *js.Var) syntaxflat.Var {
	if v == nil {
		return syntaxflat.Var{}
	}
	v = Resolved(v)
	made, ok := c.vars[v]
	if !ok {
		made = c.b.Var(v.Data, v.Uses, syntax.DeclType(v.Decl))
		c.vars[v] = made
		c.globals = append(c.globals, made)
	}
	return made
}

func (c *converter) block(n *js.BlockStmt) syntaxflat.BlockStmt {
	if n == nil {
		return syntaxflat.BlockStmt{}
	}
	c.enter(&n.Scope)
	defer c.leave()
	return c.body(n)
}

// body converts the block whose scope was entered last.
func (c *converter) body(n *js.BlockStmt) syntaxflat.BlockStmt {
	return c.b.BlockStmt(convertList(c, n.List, c.stmt), c.scope.to).AsBlockStmt()
}

// varDecl converts a declaration and enters it into the list of its function.
func (c *converter) varDecl(n *js.VarDecl) syntaxflat.VarDecl {
	in, ok := c.scopes[n.Scope]
	if !ok {
		in = c.scope.to // the parser made a copy of the outermost scope
	}
	made := c.b.VarDecl(syntaxflat.VarDeclFields{
		TokenType: token(n.TokenType), List: convertList(c, n.List, c.element), Scope: in, InFor: n.InFor, InForInOf: n.InForInOf,
	}).AsVarDecl()
	f := c.scope.function
	for i := range f.from.VarDecls { // in most cases it is the next
		at := (f.varDeclsSoFar + i) % len(f.from.VarDecls)
		if f.from.VarDecls[at] == n {
			f.to.SetVarDecl(at, made)
			f.varDeclsSoFar = at + 1
			break
		}
	}
	return made
}

func token(t js.TokenType) syntax.TokenType { return syntax.TokenType(t) }
