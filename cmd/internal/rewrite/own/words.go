package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// What comes from an arena, in Go.

// ArenaPath is the package of arenas.
const ArenaPath = "github.com/coppice-go/coppice/arena"

// element is how the file of a site writes the type of its values.
func (p *pass) element(s rewrite.Site) (name, why string) {
	file := s.Stack[0].(*ast.File)
	name = types.TypeString(s.Type, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		for _, spec := range file.Imports {
			if seen := p.TypesInfo.PkgNameOf(spec); seen != nil && seen.Imported() == other {
				switch seen.Name() {
				case "_":
				case ".":
					return ""
				default:
					return seen.Name()
				}
			}
		}
		why = "its file does not import the package of its type"
		return other.Name()
	})
	return name, why
}

// arenaWords are the new text of a site.
func (p *pass) arenaWords(s rewrite.Site, where string) []rewrite.Words {
	element, _ := p.element(s)
	pkg := p.edits.Import(p.Fset, p.Types, s.Stack[0].(*ast.File), ArenaPath)
	zero, put := fmt.Sprintf("%s.New[%s](%s)", pkg, element, where), fmt.Sprintf("%s.Alloc[%s](%s, ", pkg, element, where)
	switch n := s.Node.(type) {
	case *ast.Ident:
		if stored := p.storedVariable(s, zero); stored != "" {
			return p.VariableWords(s, rewrite.Supply{Zero: zero, Put: stored})
		}
		return p.VariableWords(s, rewrite.Supply{Zero: zero, Put: put, End: ")"})
	case *ast.UnaryExpr:
		if p.Zero(n.X) {
			return []rewrite.Words{{From: n.Pos(), To: n.End(), Text: zero}}
		}
		if words := p.storedWords(s, zero); words != nil {
			return words
		}
		return rewrite.PointerWords(n, pkg+".Copy("+where+", ")
	case *ast.CompositeLit:
		return p.ListWords(n, fmt.Sprintf("%s.SliceOf[%s](%s, ", pkg, element, where))
	case *ast.CallExpr:
		call := n
		switch s.Kind {
		case rewrite.NewCall:
			return p.NewWords(n, zero, put)
		case rewrite.Makes:
			return p.MakeWords(n, fmt.Sprintf("%s.Make[%s](%s, ", pkg, element, where))
		case rewrite.Appends:
			list := call.Args[0]
			return []rewrite.Words{{From: list.Pos(), To: list.Pos(), Text: pkg + ".Grow(" + where + ", "}, {From: list.End(), To: list.End(), Text: ", " + p.appended(n) + ")"}}
		}
	}
	return nil
}

// appended is how many values an append has, in Go, if none of them changes the list before it is appended; empty if one might.
func (p *pass) appended(call *ast.CallExpr) string {
	values := call.Args[1:]
	switch {
	case len(values) == 0 || slices.ContainsFunc(values, func(e ast.Expr) bool { return !p.Calm(e) }):
		return ""
	case !call.Ellipsis.IsValid():
		return fmt.Sprint(len(values))
	}
	if _, o := p.Types.Scope().Innermost(call.Pos()).LookupParent("len", call.Pos()); o != types.Universe.Lookup("len") {
		return ""
	}
	switch ast.Unparen(values[0]).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return "len(" + p.Between(values[0].Pos(), values[0].End()) + ")"
	}
	return ""
}

// A literal that an arena copies is built on the stack first. Where it is a statement of its own, it is stored right where it stays:
//
//	n := &Node{Op: op}     n := arena.New[Node](p.arena)
//	                       *n = Node{Op: op}
//
// Without an arena that takes no longer than it did. Elsewhere arena.Copy takes the literal as it stands.

// storedWords are the words that store a literal, where it is the value of a new variable or the only thing that is returned; zero is the call of New.
// There are none where it stands elsewhere.
func (p *pass) storedWords(s rewrite.Site, zero string) []rewrite.Words {
	n := s.Node.(*ast.UnaryExpr)
	switch statement := p.storing(s).(type) {
	case *ast.AssignStmt:
		return []rewrite.Words{{From: n.Pos(), To: n.X.Pos(), Text: fmt.Sprintf("%s%s*%s = ", zero, p.newLine(statement.Pos()), statement.Lhs[0].(*ast.Ident).Name)}}
	case *ast.ReturnStmt:
		name, line := p.nextName(s.Function()), p.newLine(statement.Pos())
		return []rewrite.Words{
			{From: statement.Pos(), To: n.X.Pos(), Text: fmt.Sprintf("%[1]s := %[2]s%[3]s*%[1]s = ", name, zero, line)},
			{From: n.End(), To: n.End(), Text: line + "return " + name},
		}
	}
	return nil
}

// storing is the statement in which a literal is stored: it is the value of a new variable, or all that is returned but for constants. It is nil where
// the literal stands elsewhere.
func (p *pass) storing(s rewrite.Site) ast.Stmt {
	n, ok := s.Node.(*ast.UnaryExpr)
	if !ok || s.Kind != rewrite.Literal || p.Zero(n.X) {
		return nil
	}
	statement, ok := p.statement(s)
	if !ok {
		return nil
	}
	switch statement := statement.(type) {
	case *ast.AssignStmt:
		name, ok := statement.Lhs[0].(*ast.Ident)
		if ok && statement.Tok == token.DEFINE && len(statement.Lhs) == 1 && name.Name != "_" && !rewrite.Mentions(n, name.Name) {
			return statement
		}
	case *ast.ReturnStmt:
		if statement.Results[0] == n && !rewrite.Jumps(s.Function()) && !p.commentedBetween(s, statement.Pos(), n.X.Pos()) && !slices.ContainsFunc(statement.Results[1:], p.changes) {
			return statement
		}
	}
	return nil
}

// inOrder reports whether a site reads what calls might change in the order in which it did, with them.
func (p *pass) inOrder(s rewrite.Site) bool {
	switch {
	case !p.orderOpen(s), p.storing(s) != nil: // *n = T{...} has the same literal
		return true
	case s.Kind != rewrite.Variable:
		return false
	}
	_, declared := s.Node.(*ast.Ident)
	return declared && p.storedVariable(s, "new") != "" && !p.usesOpen(s)
}

// storedVariable is what stands before the value of a variable that is stored; empty where it cannot be.
func (p *pass) storedVariable(s rewrite.Site, zero string) string {
	name := s.Node.(*ast.Ident).Name
	value := p.VariableValue(s)
	if statement, ok := p.statement(s); !ok || value == nil || rewrite.Mentions(value, name) {
		return ""
	} else {
		return fmt.Sprintf("%s%s*%s = ", zero, p.newLine(statement.Pos()), name)
	}
}

// statement is the statement around a site, if that is one of a list.
func (p *pass) statement(s rewrite.Site) (ast.Stmt, bool) {
	for i := len(s.Stack) - 2; i > 0; i-- {
		switch n := s.Stack[i].(type) {
		case *ast.GenDecl, *ast.ValueSpec:
		case ast.Stmt:
			switch s.Stack[i-1].(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				return n, inList(n, s.Stack[i-1])
			}
			return nil, false
		default:
			return nil, false
		}
	}
	return nil, false
}

// inList reports whether a statement is one of the list of another, and not in its header.
func inList(n ast.Stmt, above ast.Node) bool {
	switch above := above.(type) {
	case *ast.BlockStmt:
		return slices.Contains(above.List, n)
	case *ast.CaseClause:
		return slices.Contains(above.Body, n)
	case *ast.CommClause:
		return slices.Contains(above.Body, n)
	}
	return false
}

// changes reports whether a value might be another one when a call has returned. Constants and nil stay.
func (p *pass) changes(e ast.Expr) bool {
	t := p.TypesInfo.Types[e]
	return t.Value == nil && !t.IsNil()
}
