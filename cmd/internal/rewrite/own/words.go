package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// This file generates the edits of sites whose values come from an arena.

// ArenaPath is the import path of package arena.
const ArenaPath = cmd.Library + "/arena"

// element returns the name by which the file of a site can refer to the type of the site's values,
// or the reason why the file cannot refer to it.
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

// arenaWords returns the edits of a site. The parameter where is the expression for the arena.
func (p *pass) arenaWords(s rewrite.Site, where string) []rewrite.Words {
	element, _ := p.element(s)
	pkg := p.edits.Import(p.Fset, p.Types, s.Stack[0].(*ast.File), ArenaPath)
	zero, put := fmt.Sprintf("%s.New[%s](%s)", pkg, element, where), fmt.Sprintf("%s.Alloc[%s](%s, ", pkg, element, where)
	switch n := s.Node.(type) {
	case *ast.Ident:
		if stored := p.storedVariable(s, zero); stored != nil {
			return stored
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

// appended returns an expression for the number of appended values, or "" if evaluating one of them
// might change the list before the append.
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

// A literal that an arena copies is built on the stack first. If a statement only assigns or
// returns the literal, the edit stores its fields in their final location instead:
//
//	n := &Node{Op: op}     n := arena.New[Node](p.arena)
//	                       n.Op = op
//
// For a literal on the Go heap, the compiler generates the same stores. If storing the fields one
// by one would change the order of calls and reads, the literal is stored as a whole: *n =
// Node{...}. In other statements, the literal is passed to arena.Copy.

// storedWords returns the edits that store the fields of a literal in its final location. The
// literal must be the value of a new variable, the only assigned value, or the only returned value
// besides constants. For other literals, it returns nil. The parameter zero is the call to New.
func (p *pass) storedWords(s rewrite.Site, zero string) []rewrite.Words {
	n := s.Node.(*ast.UnaryExpr)
	switch statement := p.storing(s).(type) {
	case *ast.AssignStmt:
		line := p.newLine(statement.Pos())
		if statement.Tok == token.DEFINE {
			return p.storeWords(s, n.Pos(), zero+line, n.X, statement.Lhs[0].(*ast.Ident).Name, line, "")
		}
		name := p.nextName(s.Function(), singular(s.Type))
		place := p.Between(statement.Pos(), statement.Lhs[0].End())
		return p.storeWords(s, statement.Pos(), fmt.Sprintf("%s := %s%s", name, zero, line), n.X, name, line, fmt.Sprintf("%s%s = %s", line, place, name))
	case *ast.ReturnStmt:
		name, line := p.nextName(s.Function(), singular(s.Type)), p.newLine(statement.Pos())
		return p.storeWords(s, statement.Pos(), fmt.Sprintf("%s := %s%s", name, zero, line), n.X, name, line, line+"return "+name)
	}
	return nil
}

// storeWords returns the edits that store a value in the variable that a pointer points to. The
// parameter begin is the text that replaces the source from the given position to the value, and
// end is the text to insert after the value.
func (p *pass) storeWords(s rewrite.Site, at token.Pos, begin string, value ast.Expr, name, line, end string) []rewrite.Words {
	if words := p.fieldWords(s, value, name, line); words != nil {
		words[0].From, words[0].Text = at, begin+words[0].Text
		words[len(words)-1].Text = end
		return words
	}
	return []rewrite.Words{{From: at, To: value.Pos(), Text: begin + "*" + name + " = "}, {From: value.End(), To: value.End(), Text: end}}
}

// fieldWords returns the edits that store the fields of a literal one by one, in the order of the
// literal. It returns no edits for other values. It also returns none if the literal contains both
// calls and reads of variables that these calls might change, because their order is unspecified.
func (p *pass) fieldWords(s rewrite.Site, value ast.Expr, name, line string) (words []rewrite.Words) {
	lit, ok := value.(*ast.CompositeLit)
	if !ok || len(lit.Elts) == 0 || !types.Identical(p.TypesInfo.TypeOf(lit), s.Type) || p.openWithin(lit) {
		return nil
	}
	fields, ok := s.Type.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	at := lit.Pos()
	for i, value := range lit.Elts {
		field := fields.Field(i).Name()
		if pair, ok := value.(*ast.KeyValueExpr); ok {
			field, value = pair.Key.(*ast.Ident).Name, pair.Value
		}
		if field == "_" || p.commentedBetween(s, at, value.Pos()) {
			return nil
		}
		words = append(words, rewrite.Words{From: at, To: value.Pos(), Text: name + "." + field + " = "})
		if i > 0 {
			words[i].Text = line + words[i].Text
		}
		at = value.End()
	}
	if p.commentedBetween(s, at, lit.End()) {
		return nil
	}
	return append(words, rewrite.Words{From: at, To: lit.End()})
}

// storing returns the statement that stores a literal. The literal must be the value of a new
// variable, the only assigned value, or the only returned value besides constants. For other
// literals, storing returns nil.
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
		switch {
		case len(statement.Lhs) != 1 || statement.Rhs[0] != n:
			return nil
		case statement.Tok == token.DEFINE:
			if name := statement.Lhs[0].(*ast.Ident).Name; name != "_" && !rewrite.Mentions(n, name) {
				return statement
			}
		case statement.Tok == token.ASSIGN && p.setsLast(statement.Lhs[0], n) && !rewrite.Jumps(s.Function()) && !p.commentedBetween(s, statement.Pos(), n.X.Pos()):
			return statement
		}
	case *ast.ReturnStmt:
		if statement.Results[0] == n && !rewrite.Jumps(s.Function()) && !p.commentedBetween(s, statement.Pos(), n.X.Pos()) && !slices.ContainsFunc(statement.Results[1:], p.changes) {
			return statement
		}
	}
	return nil
}

// setsLast reports whether the left side of an assignment may be evaluated after the value, so that
// the value can be computed in an earlier statement. The left side must be a variable or a field of
// a variable.
func (p *pass) setsLast(place, value ast.Expr) bool {
	switch place := place.(type) {
	case *ast.Ident:
		return place.Name != "_"
	case *ast.SelectorExpr:
		for x := place.X; ; {
			switch n := x.(type) {
			case *ast.Ident:
				return !p.callsIn(value) || len(p.reads(place.X)) == 0
			case *ast.SelectorExpr:
				x = n.X
				continue
			}
			return false
		}
	}
	return false
}

// inOrder reports whether the edit preserves the order between the calls of a site and the reads
// that these calls might affect.
func (p *pass) inOrder(s rewrite.Site) bool {
	switch {
	case !p.orderOpen(s), p.storing(s) != nil: // *n = T{...} has the same literal
		return true
	case s.Kind != rewrite.Variable:
		return false
	}
	_, declared := s.Node.(*ast.Ident)
	return declared && p.storesVariable(s) && !p.usesOpen(s)
}

// storesVariable reports whether the value of a variable can be stored directly in its final
// location.
func (p *pass) storesVariable(s rewrite.Site) bool {
	value := p.VariableValue(s)
	_, ok := p.statement(s)
	return ok && value != nil && !rewrite.Mentions(value, s.Node.(*ast.Ident).Name)
}

// storedVariable returns the edits for a variable whose value is stored directly in its final
// location, or nil if that is not possible.
func (p *pass) storedVariable(s rewrite.Site, zero string) []rewrite.Words {
	if !p.storesVariable(s) {
		return nil
	}
	statement, _ := p.statement(s)
	line, value, name := p.newLine(statement.Pos()), p.VariableValue(s), s.Node.(*ast.Ident).Name
	words := p.fieldWords(s, value, name, line)
	if words == nil {
		return p.VariableWords(s, rewrite.Supply{Zero: zero, Put: zero + line + "*" + name + " = "})
	}
	put := zero + line + words[0].Text
	words[0].Text = ""
	return append(p.VariableWords(s, rewrite.Supply{Zero: zero, Put: put}), words...)
}

// statement returns the statement that contains a site, and whether this statement is in a
// statement list.
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

// inList reports whether a statement is in the statement list of its enclosing statement, not in
// its header.
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

// changes reports whether a call might change the value of an expression. It returns false for
// constants and nil.
func (p *pass) changes(e ast.Expr) bool {
	t := p.TypesInfo.Types[e]
	return t.Value == nil && !t.IsNil()
}
