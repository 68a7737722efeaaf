package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// change edits a site. The parameter where is the expression for the allocators. It returns the
// reason why the site cannot be edited, or "" if it can be.
func (p *pass) change(s rewrite.Site, r *Rule, where string) (why string) {
	if p.form == Arena {
		return p.changeArena(s, where)
	}
	if s.Kind == rewrite.Text {
		p.owners[r.Owner].text = true
		call := s.Node.(*ast.CallExpr)
		p.edits.Replace(p.Fset, call.Pos(), call.Lparen+1, where+".text.String(")
		return ""
	}
	a := p.owners[r.Owner].allocator(p, s.Type)
	where += "." + a.name
	switch n := s.Node.(type) {
	case *ast.Ident:
		p.write(p.VariableWords(s, rewrite.Supply{Zero: where + ".New()", Put: where + ".Alloc(", End: ")"}))
	case *ast.UnaryExpr:
		p.write(rewrite.LiteralWords(n, where+".Alloc("))
	case *ast.CompositeLit:
		p.write(p.ListWords(n, where+".SliceOf("))
	case *ast.CallExpr:
		switch s.Kind {
		case rewrite.NewCall:
			p.write(p.NewWords(n, where+".New()", where+".Alloc("))
		case rewrite.Makes:
			p.write(p.MakeWords(n, where+".Make("))
		case rewrite.Appends:
			a.appends = true
			convert, end, why := p.named(s)
			if why != "" {
				return why
			}
			p.edits.Replace(p.Fset, n.Pos(), n.Lparen+1, convert+where+".Append(")
			p.edits.Insert(p.Fset, n.End(), end)
		}
	}
	return ""
}

// write adds the edits of a site.
func (p *pass) write(words []rewrite.Words) {
	for _, w := range words {
		p.edits.Replace(p.Fset, w.From, w.To, w.Text)
	}
}

// changeArena edits a site for an arena. The functions of package arena have the arena as their
// first parameter.
func (p *pass) changeArena(s rewrite.Site, where string) (why string) {
	file := s.Stack[0].(*ast.File)
	element, why := p.spell(file, s.Type)
	if why != "" {
		return why
	}
	if call, ok := s.Node.(*ast.CallExpr); ok && s.Kind == rewrite.Text {
		p.edits.Replace(p.Fset, call.Pos(), call.Lparen+1, where+".String(")
		return ""
	}
	pkg := p.importArena(file)
	zero, put := fmt.Sprintf("%s.New[%s](%s)", pkg, element, where), fmt.Sprintf("%s.Alloc[%s](%s, ", pkg, element, where)
	switch n := s.Node.(type) {
	case *ast.Ident:
		p.write(p.VariableWords(s, rewrite.Supply{Zero: zero, Put: put, End: ")"}))
	case *ast.UnaryExpr:
		p.write(rewrite.PointerWords(n, pkg+".Copy("+where+", "))
	case *ast.CompositeLit:
		p.write(p.ListWords(n, fmt.Sprintf("%s.SliceOf[%s](%s, ", pkg, element, where)))
	case *ast.CallExpr:
		switch s.Kind {
		case rewrite.NewCall:
			p.write(p.NewWords(n, zero, put))
		case rewrite.Makes:
			p.write(p.MakeWords(n, fmt.Sprintf("%s.Make[%s](%s, ", pkg, element, where)))
		case rewrite.Appends:
			p.edits.Replace(p.Fset, n.Pos(), n.Lparen+1, fmt.Sprintf("%s.Append[%s](%s, ", pkg, element, where))
		}
	}
	return ""
}

// named returns the source text before and after the call that replaces an append. This text
// converts the result to the type of the append, if that type has a name.
func (p *pass) named(s rewrite.Site) (before, behind, why string) {
	t := p.TypesInfo.TypeOf(s.Node)
	if _, plain := types.Unalias(t).(*types.Slice); plain {
		return "", "", ""
	}
	name, why := p.spell(s.Stack[0].(*ast.File), t)
	return name + "(", ")", why
}

// spell returns the name of a type in a file, qualified by the names under which the file imports
// packages.
func (p *pass) spell(file *ast.File, t types.Type) (name, why string) {
	name = types.TypeString(t, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); path == other.Path() {
				switch {
				case spec.Name == nil:
					return other.Name()
				case spec.Name.Name == ".":
					return ""
				case spec.Name.Name == "_":
				default:
					return spec.Name.Name
				}
			}
		}
		why = "its file does not import the package of its type"
		return other.Name()
	})
	return name, why
}
