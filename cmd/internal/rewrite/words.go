package rewrite

import (
	"go/ast"
	"go/token"
	"os"
)

// Words is an edit that replaces the source between two positions with a text. If the positions are
// equal, the text is inserted.
type Words struct {
	From, To token.Pos
	Text     string
}

// LiteralWords returns the edits that turn &T{...}, or the address of a variable, into a call with
// the value as its argument: put(T{...}). The parameter put is the text with which the call begins.
// The fields of a literal are evaluated before the call, in their original order.
func LiteralWords(n *ast.UnaryExpr, put string) []Words {
	return []Words{{n.Pos(), n.X.Pos(), put}, {n.End(), n.End(), ")"}}
}

// PointerWords returns the edits that turn &T{...} into a call with the pointer as its argument:
// put(&T{...}). The parameter put is the text with which the call begins.
func PointerWords(n *ast.UnaryExpr, put string) []Words {
	return []Words{{n.Pos(), n.Pos(), put}, {n.End(), n.End(), ")"}}
}

// ListWords returns the edits that turn []T{...} into a call to an allocator. The parameter call is
// the text with which that call begins.
func (c *Code) ListWords(n *ast.CompositeLit, call string) []Words {
	convert, end := c.conversion(n.Type)
	return []Words{{n.Pos(), n.Lbrace + 1, convert + call}, {n.Rbrace, n.Rbrace + 1, ")" + end}}
}

// NewWords returns the edits that turn new(T), or new(v) for a value v, into a call to an
// allocator. The parameter zero is the call that replaces new(T), and put is the text with which
// the call that replaces new(v) begins.
func (c *Code) NewWords(n *ast.CallExpr, zero, put string) []Words {
	if c.TypesInfo.Types[n.Args[0]].IsType() {
		return []Words{{n.Pos(), n.End(), zero}}
	}
	return []Words{{n.Pos(), n.Args[0].Pos(), put}}
}

// MakeWords returns the edits that turn make([]T, n) and make([]T, n, capacity) into a call to an
// allocator. The parameter call is the text with which that call begins.
func (c *Code) MakeWords(n *ast.CallExpr, call string) []Words {
	convert, end := c.conversion(n.Args[0])
	last := n.Args[len(n.Args)-1] // capacity, or the length if no capacity is given
	if len(n.Args) == 3 {
		end = "[:" + c.source(n.Args[1]) + "]" + end
	}
	return []Words{{n.Pos(), last.Pos(), convert + call}, {n.End(), n.End(), end}}
}

// conversion returns the source text to insert before and after a list, to convert the list to the
// type that the source names. Both are empty if that type has no name.
func (c *Code) conversion(written ast.Expr) (before, behind string) {
	if _, ok := written.(*ast.ArrayType); ok {
		return "", ""
	}
	return c.source(written) + "(", ")"
}

// source returns the source text of an expression.
func (c *Code) source(e ast.Expr) string { return c.Between(e.Pos(), e.End()) }

// Between returns the source text between two positions. It is empty if the size of the file has
// changed since the file was loaded; the result of an edit then does not compile.
func (c *Code) Between(from, to token.Pos) string {
	file := c.Fset.File(from)
	data, err := os.ReadFile(file.Name())
	if err != nil || len(data) != file.Size() {
		return ""
	}
	return string(data[file.Offset(from):file.Offset(to)])
}
