package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ast/inspector"
)

// Variable is the kind of site that Variables visits: var x T, or x := v, if the function
// contains &x or &x.f. The compiler moves such a variable to the heap if the address leaves the
// function.
const Variable = "variable"

// Variables visits, in source order, each local variable whose address is taken by an & operator
// that is applied to the variable or to a part of it. The node of a site is the name in the
// declaration. A site's stack is valid only during the visit.
func (l Locals) Variables(visit func(Site)) {
	addressed := l.findAddressed()
	inspector.New(l.Syntax).WithStack([]ast.Node{(*ast.Ident)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		name := n.(*ast.Ident)
		v, ok := l.TypesInfo.Defs[name].(*types.Var)
		if !push || !ok || !addressed[v] || v.Parent() == l.Types.Scope() {
			return true
		}
		switch stack[len(stack)-2].(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			visit(Site{Kind: Variable, Type: v.Type(), Node: name, Stack: stack})
		}
		return true
	})
}

// Parameters visits parameters, results and receivers of functions in the same way as Variables
// visits local variables.
func (l Locals) Parameters(visit func(Site)) {
	addressed := l.findAddressed()
	inspector.New(l.Syntax).WithStack([]ast.Node{(*ast.Ident)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		name := n.(*ast.Ident)
		if v, ok := l.TypesInfo.Defs[name].(*types.Var); push && ok && addressed[v] && !v.IsField() {
			if _, ok := stack[len(stack)-2].(*ast.Field); ok {
				visit(Site{Kind: Variable, Type: v.Type(), Node: name, Stack: stack})
			}
		}
		return true
	})
}

// findAddressed returns the variables whose address is taken by an & operator that is applied to
// the variable or to a part of it. Calls to methods with pointer receivers are ignored.
func (l Locals) findAddressed() map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, file := range l.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if n, ok := n.(*ast.UnaryExpr); ok && n.Op == token.AND {
				if v := l.Root(n.X); v != nil {
					all[v] = true
				}
			}
			return true
		})
	}
	return all
}

// A Supply contains the calls to an allocator, as source text. Zero is the call that returns a zero
// value. Put and End are the text before and after the value in the call that stores a given value.
type Supply struct{ Zero, Put, End string }

// VariableWords returns the edits that turn a site's variable into a pointer to a value from an
// allocator. Each use of the variable dereferences the pointer.
func (c *Code) VariableWords(s Site, from Supply) []Words {
	name := s.Node.(*ast.Ident)
	words := c.useWords(s)
	switch n := s.Stack[len(s.Stack)-2].(type) {
	case *ast.AssignStmt:
		return append(words, c.valueWords(s, n.TokPos, n.Rhs[0], ":= ", from)...)
	case *ast.ValueSpec:
		decl := s.Stack[len(s.Stack)-4].(*ast.DeclStmt)
		if len(n.Values) > 0 {
			return append(words, c.valueWords(s, decl.Pos(), n.Values[0], name.Name+" := ", from)...)
		}
		return append(words, Words{decl.Pos(), decl.End(), name.Name + " := " + from.Zero})
	}
	return words
}

// valueWords returns the edits that pass the value of a variable to an allocator or, if the value
// is T{}, request a zero value. The parameter define is the text that replaces the source from the
// given position to the value.
func (c *Code) valueWords(s Site, at token.Pos, value ast.Expr, define string, from Supply) []Words {
	if c.zeroOf(s, value) {
		return []Words{{at, value.End(), define + from.Zero}}
	}
	return []Words{{at, value.Pos(), define + from.Put}, {value.End(), value.End(), from.End}}
}

// Zero reports whether an expression is T{} for a struct or an array type T, so that it is the zero
// value. A literal of a map or a slice without elements is not the zero value, because it is not
// nil.
func (c *Code) Zero(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || len(lit.Elts) > 0 {
		return false
	}
	switch c.TypesInfo.TypeOf(lit).Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// zeroOf reports whether a value is T{} and also the zero value of the site's variable. It returns
// false for a variable of an interface type, because an interface that contains a T{} is not nil.
func (c *Code) zeroOf(s Site, value ast.Expr) bool {
	return c.Zero(value) && !types.IsInterface(s.Type)
}

// VariableValue returns the site variable's initial value, or nil if that is the zero value.
func (c *Code) VariableValue(s Site) ast.Expr {
	var values []ast.Expr
	switch n := s.Stack[len(s.Stack)-2].(type) {
	case *ast.AssignStmt:
		values = n.Rhs
	case *ast.ValueSpec:
		values = n.Values
	}
	if len(values) != 1 || c.zeroOf(s, values[0]) {
		return nil
	}
	return values[0]
}

// VariableTypes returns the type expressions that the edits of VariableWords remove: the type
// of the declaration, and the type of a zero value.
func (c *Code) VariableTypes(s Site) (gone []ast.Expr) {
	var values []ast.Expr
	switch n := s.Stack[len(s.Stack)-2].(type) {
	case *ast.AssignStmt:
		values = n.Rhs
	case *ast.ValueSpec:
		if values = n.Values; n.Type != nil {
			gone = append(gone, n.Type)
		}
	}
	for _, value := range values {
		if c.zeroOf(s, value) {
			gone = append(gone, value.(*ast.CompositeLit).Type)
		}
	}
	return gone
}

// useWords returns the edits that make each use of a site's variable dereference the pointer: &x
// becomes x, and x becomes *x. Selecting a field or a method needs no *.
func (c *Code) useWords(s Site) (all []Words) {
	c.Uses(s, func(name *ast.Ident, stack []ast.Node) {
		i := len(stack) - 2
		for ; i > 0; i-- {
			if _, ok := stack[i].(*ast.ParenExpr); !ok {
				break
			}
		}
		text := "(*" + name.Name + ")"
		switch parent := stack[i].(type) {
		case *ast.UnaryExpr:
			if parent.Op == token.AND {
				all = append(all, Words{parent.Pos(), parent.End(), c.space(parent.Pos()) + name.Name})
				return
			}
		case *ast.SelectorExpr:
			if followed(s.Type) {
				return
			}
		case *ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec, *ast.KeyValueExpr, *ast.CompositeLit, *ast.SendStmt:
			text = "*" + name.Name
		case *ast.CallExpr:
			if ast.Unparen(parent.Fun) != ast.Expr(name) {
				text = "*" + name.Name
			}
		}
		all = append(all, Words{name.Pos(), name.End(), text})
	})
	return all
}

// space returns the text to insert before a name. It returns a space if the name would otherwise
// join the word before it, as in return&x, which becomes return x. In all other cases, it returns
// "".
func (c *Code) space(at token.Pos) string {
	if before := c.Between(at-1, at); strings.IndexFunc(before, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }) == 0 {
		return " "
	}
	return ""
}

// followed reports whether x.f means (*x).f if x is a pointer to the type.
func followed(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return false
	}
	return true
}

// Uses visits the uses of a site's variable, each with the stack of its enclosing nodes. The stack
// is valid only during the visit.
func (c *Code) Uses(s Site, visit func(name *ast.Ident, stack []ast.Node)) {
	v := c.TypesInfo.Defs[s.Node.(*ast.Ident)]
	inspector.New([]*ast.File{s.Stack[0].(*ast.File)}).WithStack([]ast.Node{(*ast.Ident)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		if name := n.(*ast.Ident); push && c.TypesInfo.Uses[name] == v {
			visit(name, stack)
		}
		return true
	})
}

// refuseVariable returns the reason why the declaration of a variable cannot be changed, or "" if
// it can.
func (c *Code) refuseVariable(s Site) (why string) {
	outer := s.Stack[len(s.Stack)-3]
	switch n := s.Stack[len(s.Stack)-2].(type) {
	case *ast.Field:
		return "it is a parameter or a result"
	case *ast.AssignStmt:
		if len(n.Lhs) > 1 {
			return "it is declared together with others"
		}
		switch outer := outer.(type) {
		case *ast.ForStmt:
			return "each iteration has a variable of its own"
		case *ast.CommClause:
			if outer.Comm == n {
				return "a select declares it"
			}
		}
	case *ast.ValueSpec:
		if decl := outer.(*ast.GenDecl); len(n.Names) > 1 || decl.Lparen.IsValid() {
			return "it is declared together with others"
		}
	}
	c.Uses(s, func(name *ast.Ident, stack []ast.Node) {
		if n, ok := stack[len(stack)-2].(*ast.AssignStmt); ok && n.Tok == token.DEFINE && name.Pos() < n.TokPos {
			why = "it is set together with a declaration"
		}
	})
	return why
}
