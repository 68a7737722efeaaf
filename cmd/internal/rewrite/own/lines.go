package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// commentedBetween reports whether there is a comment between two positions.
func (p *pass) commentedBetween(s rewrite.Site, from, to token.Pos) bool {
	return slices.ContainsFunc(s.Stack[0].(*ast.File).Comments, func(c *ast.CommentGroup) bool { return c.Pos() < to && from < c.End() })
}

// newLine returns the separator between an inserted statement and the statement at a position,
// before which it is inserted. The separator is a line break with the indentation of that
// statement, or a semicolon if that statement does not begin its line.
func (p *pass) newLine(at token.Pos) string {
	file := p.Fset.File(at)
	space := p.Between(file.LineStart(file.PositionFor(at, false).Line), at)
	if strings.TrimSpace(space) != "" {
		return "; "
	}
	return "\n" + space
}

// nextName returns a name for a new variable that the function does not use yet: base, or a longer
// name that begins with base.
func (p *pass) nextName(fn *ast.FuncDecl, base string) string {
	if token.IsKeyword(base) || base == "arena" || types.Universe.Lookup(base) != nil {
		base = "next"
	}
	used := map[string]bool{}
	for _, spec := range p.FileOf(fn.Pos()).Imports {
		if pkg := p.TypesInfo.PkgNameOf(spec); pkg != nil {
			used[pkg.Name()] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprint(base, i)
		}
		if !used[name] && !slices.Contains(p.nextNames[fn], name) && p.Types.Scope().Lookup(name) == nil {
			p.nextNames[fn] = append(p.nextNames[fn], name)
			return name
		}
	}
}
