package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// The edit turns an append into a function call. If the appended value is the result of a call that
// might change the list, the value is first assigned to a new variable. The list is then still read
// after that call, as in the original append.

// hoists reports whether an append is in a statement list = append(list, value()) in which the
// value can be assigned to a new variable first.
func (p *pass) hoists(s rewrite.Site) bool {
	call := s.Node.(*ast.CallExpr)
	assign, list := appendStatement(s)
	if assign == nil || len(call.Args) < 2 || p.Calm(call.Args[1]) || rewrite.Jumps(s.Function()) {
		return false
	}
	v, base := p.Place(list)
	other, otherBase := p.Place(call.Args[0])
	return v != nil && v == other && base == otherBase && p.Hoist(call) == ""
}

// appendStatement returns the assignment x = append(...) whose right side is the site, and x. It
// returns nil if there is no such assignment, or if the assignment is not directly in a block or a
// case.
func appendStatement(s rewrite.Site) (*ast.AssignStmt, ast.Expr) {
	n := len(s.Stack)
	assign, ok := s.Stack[n-2].(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil, nil
	}
	switch s.Stack[n-3].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return assign, assign.Lhs[0]
	}
	return nil, nil
}

// hoist changes an append for which hoists returns true. It returns the expression for the arena
// from which the list comes, or the reason why the append is left unchanged.
func (p *pass) hoist(s rewrite.Site, a *Ask) (where, why string) {
	ask := []func(rewrite.Site) string{p.RefusePlace, p.RefuseFunction, p.RefuseType, p.RefusePinned}
	if why := rewrite.First(s, ask...); why != "" {
		return "", why
	}
	call := s.Node.(*ast.CallExpr)
	assign, list := appendStatement(s)
	value := call.Args[1]
	switch {
	case rewrite.NoSplit(s.Stack[0].(*ast.File), s.Function()):
		return "", rewrite.NoRoom
	case p.arena.Stays(memoryOf(s)) != "":
		return "", p.arena.Stays(memoryOf(s))
	case p.arena.Lists == NotReturned && p.returnedList(s):
		return "", growsOnStack
	case p.generated(s) != "":
		return "", p.generated(s)
	case max(p.TypesSizes.Sizeof(s.Type), types.SizesFor("gc", "amd64").Sizeof(s.Type)) > mostPassed:
		return "", "the value would be on the stack for longer, and is large"
	}
	if p.commentedBetween(s, assign.Pos(), value.Pos()) || p.commentedBetween(s, value.End(), assign.End()) {
		return "", "there is a comment where the expression changes"
	}
	if why := p.module.PinnedItself(s.Type); why != "" {
		return "", why
	}
	if where, why = p.reach(s, p.owners[a.Owner]); why != "" {
		return "", why
	}
	where = p.arena.source(where)
	pkg := p.edits.Import(p.Fset, p.Types, s.Stack[0].(*ast.File), ArenaPath)
	name := p.nextName(s.Function(), "next")
	text := p.Between(list.Pos(), list.End())
	p.replace(assign.Pos(), value.Pos(), name+" := ")
	p.replace(value.End(), assign.End(), fmt.Sprintf("%s%s = append(%s.Grow(%s, %s, 1), %s)", p.newLine(assign.Pos()), text, pkg, where, text, name))
	p.result.Made = append(p.result.Made, memoryOf(s))
	return where, ""
}
