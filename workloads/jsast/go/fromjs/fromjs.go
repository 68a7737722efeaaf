// Package fromjs turns syntax trees of github.com/tdewolff/parse/v2/js into flat trees of the
// schema in ../../syntax. [Convert] converts one tree, and a [Converter] converts trees one
// after another in the same memory.
package fromjs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// These are hints for the Builder: the approximate bytes of source per node of the Builder's
// average size, and per byte of text that a tree keeps.
const (
	bytesPerNode = 3.75
	textPart     = 16
)

// Convert returns the flat tree of a tree of the parser. The length of the source is a hint: for
// common code, the Builder does not grow.
func Convert(ast *js.AST, bytes int) (syntaxflat.Tree, error) {
	nodes := int(float64(bytes) / bytesPerNode)
	return newConverter(flat.BuilderOptions{Nodes: nodes, TextBytes: bytes / textPart}).tree(ast)
}

// A Converter converts the parser's trees to flat trees, one after another. It reuses its temporary
// memory, so it creates little garbage. Only one goroutine may use it at a time.
type Converter struct{ c *converter }

// NewConverter returns a Converter.
func NewConverter() *Converter { return &Converter{newConverter(flat.BuilderOptions{})} }

// Tree returns the flat tree of a tree of the parser. After an error the Converter can be used
// again.
func (c *Converter) Tree(ast *js.AST) (syntaxflat.Tree, error) {
	tree, err := c.c.tree(ast)
	c.c.reset()
	return tree, err
}

// Reuse frees a tree. The next one is built in its memory.
func (c *Converter) Reuse(t syntaxflat.Tree) { c.c.b.Reuse(t) }

// Resolved returns the variable that a use refers to.
func Resolved(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}

// A converter creates flat trees from the parser's trees. It creates a scope and its variables
// before the statements in the scope.
type converter struct {
	b       *syntaxflat.Builder
	vars    map[*js.Var]syntaxflat.Var // variables of the current scopes, and globals
	globals []syntaxflat.Var
	scope   *scope             // the innermost scope
	left    *scope             // list of the scopes that were left, for reuse
	list    []syntaxflat.IStmt // the statements of the module
	lists   arena.Arena        // memory for other child lists; reset after each module statement
	err     error
}

func newConverter(options flat.BuilderOptions) *converter {
	return &converter{b: syntaxflat.NewBuilder(options), vars: map[*js.Var]syntaxflat.Var{}}
}

// tree converts a tree.
func (c *converter) tree(ast *js.AST) (syntaxflat.Tree, error) {
	c.enter(&ast.Scope)
	c.list = slices.Grow(c.list, len(ast.List))
	for _, n := range ast.List {
		c.list = append(c.list, c.stmt(n))
		c.lists.Reset()
	}
	own := c.scope.to
	c.leave()
	tree, err := c.b.Finish(c.b.AST(c.list, own, c.globals))
	return tree, errors.Join(c.err, err)
}

// reset drops all references to a tree, and keeps the memory.
func (c *converter) reset() {
	clear(c.vars)
	clear(c.globals)
	clear(c.list)
	c.globals, c.list = c.globals[:0], c.list[:0]
	c.scope, c.err = nil, nil
	c.lists.Reset()
}

// A scope is an open scope, which the converter has entered and not left.
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
	to := arena.Make[To](&c.lists, len(from))
	for i, item := range from {
		to[i] = convert(item)
	}
	return to
}

// enter creates a scope with its variables. The scope around it follows from the tree, because the
// parser's own links may point to scopes that the parser abandoned.
func (c *converter) enter(s *js.Scope) {
	in := c.left
	if in == nil {
		in = new(scope)
	} else {
		c.left = in.up
	}
	*in = scope{from: s, up: c.scope}
	fields := syntaxflat.ScopeFields{
		Declared:    convertList(c, s.Declared, c.declare),
		Undeclared:  convertList(c, s.Undeclared, c.variable),
		VarDecls:    arena.Make[syntaxflat.VarDecl](&c.lists, len(s.VarDecls)), // set by varDecl
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
	c.scope = in
}

// leave ends the innermost scope. Nothing outside it uses its variables.
func (c *converter) leave() {
	left := c.scope
	for _, v := range left.from.Declared {
		delete(c.vars, v)
	}
	c.scope = left.up
	*left = scope{up: c.left}
	c.left = left
}

// in returns the open scope for s. The parser creates copies of the outermost scope; for such a
// copy, in returns the innermost open scope.
func (c *converter) in(s *js.Scope) syntaxflat.Scope {
	for in := c.scope; in != nil; in = in.up {
		if in.from == s {
			return in.to
		}
	}
	return c.scope.to
}

// failed records the first error.
func (c *converter) failed(v *js.Var, why string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %s", v.Data, why)
	}
}

// declare creates a variable of a scope.
func (c *converter) declare(v *js.Var) syntaxflat.Var {
	if _, ok := c.vars[v]; ok {
		c.failed(v, "is declared by a scope and by one around it")
	}
	made := c.b.Var(v.Data, v.Uses, syntax.DeclType(v.Decl))
	c.vars[v] = made
	return made
}

// variable returns the variable of a use. A variable that no scope has declared is global.
func (c *converter) variable(v *js.Var) syntaxflat.Var {
	if v == nil {
		return syntaxflat.Var{}
	}
	v = Resolved(v)
	made, ok := c.vars[v]
	if !ok {
		if v.Decl != js.NoDecl {
			c.failed(v, "is used outside the scope that declares it")
		}
		made = c.global(v)
		c.vars[v] = made
	}
	return made
}

// className returns the variable of a class. For the name of a class expression, the parser creates
// a variable that no scope declares and nothing else uses.
func (c *converter) className(v *js.Var) syntaxflat.Var {
	if v != nil && v.Decl == js.ExprDecl {
		return c.global(v)
	}
	return c.variable(v)
}

// global creates a variable that belongs to no scope.
func (c *converter) global(v *js.Var) syntaxflat.Var {
	made := c.b.Var(v.Data, v.Uses, syntax.DeclType(v.Decl))
	c.globals = append(c.globals, made)
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
	made := c.b.VarDecl(syntaxflat.VarDeclFields{
		TokenType: token(n.TokenType), List: convertList(c, n.List, c.element), Scope: c.in(n.Scope), InFor: n.InFor, InForInOf: n.InForInOf,
	}).AsVarDecl()
	f := c.scope.function
	for i := range f.from.VarDecls { // n is usually the next declaration
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
