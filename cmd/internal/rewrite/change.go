package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// arenaPath is the package that the form Arena calls.
const arenaPath = "github.com/coppice-go/coppice/arena"

// change edits a site whose allocators are at where. It returns why not, if it cannot.
func (p *pass) change(s site, r *Rule, where string) (why string) {
	if p.form == Arena {
		return p.changeArena(s, where)
	}
	if s.kind == text {
		p.owners[r.Owner].text = true
		call := s.node.(*ast.CallExpr)
		p.replace(call.Pos(), call.Lparen+1, where+".text.String(")
		return ""
	}
	a := p.owners[r.Owner].allocator(p, s.typ)
	where += "." + a.name
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		if p.form == Own && p.zero(n) {
			p.replace(n.Pos(), n.End(), where+".New()")
			break
		}
		// The fields of T{...} are evaluated before Alloc is called, in the order that they had.
		p.replace(n.Pos(), n.X.Pos(), where+".Alloc(")
		p.insert(n.End(), ")")
	case *ast.CompositeLit:
		convert, end := p.conversion(n.Type)
		p.replace(n.Pos(), n.Lbrace+1, convert+where+".SliceOf(")
		p.replace(n.Rbrace, n.Rbrace+1, ")"+end)
	case *ast.CallExpr:
		switch s.kind {
		case newCall:
			p.changeNew(n, where+".New()", where+".Alloc(")
		case makes:
			p.changeMake(n, where+".Make(")
		case appends:
			a.appends = true
			convert, end, why := p.named(s)
			if why != "" {
				return why
			}
			p.replace(n.Pos(), n.Lparen+1, convert+where+".Append(")
			p.insert(n.End(), end)
		}
	}
	return ""
}

// changeArena edits a site for an arena, whose functions take it as their first argument.
func (p *pass) changeArena(s site, where string) (why string) {
	file := s.stack[0].(*ast.File)
	element, why := p.spell(file, s.typ)
	if why != "" {
		return why
	}
	if call, ok := s.node.(*ast.CallExpr); ok && s.kind == text {
		p.replace(call.Pos(), call.Lparen+1, where+".String(")
		return ""
	}
	pkg := p.importArena(file)
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		p.insert(n.Pos(), pkg+".Copy("+where+", ")
		p.insert(n.End(), ")")
	case *ast.CompositeLit:
		convert, end := p.conversion(n.Type)
		p.replace(n.Pos(), n.Lbrace+1, fmt.Sprintf("%s%s.SliceOf[%s](%s, ", convert, pkg, element, where))
		p.replace(n.Rbrace, n.Rbrace+1, ")"+end)
	case *ast.CallExpr:
		switch s.kind {
		case newCall:
			p.changeNew(n, fmt.Sprintf("%s.New[%s](%s)", pkg, element, where), fmt.Sprintf("%s.Alloc[%s](%s, ", pkg, element, where))
		case makes:
			p.changeMake(n, fmt.Sprintf("%s.Make[%s](%s, ", pkg, element, where))
		case appends:
			p.replace(n.Pos(), n.Lparen+1, fmt.Sprintf("%s.Append[%s](%s, ", pkg, element, where))
		}
	}
	return ""
}

// zero reports whether a literal is the zero value of its type. Of a map or a slice it is not: it is empty, and not nil.
func (p *pass) zero(n *ast.UnaryExpr) bool {
	lit := n.X.(*ast.CompositeLit)
	switch p.TypesInfo.TypeOf(lit).Underlying().(type) {
	case *types.Struct, *types.Array:
		return len(lit.Elts) == 0
	}
	return false
}

// changeNew edits new(T), and new(v), which makes a variable of a value.
func (p *pass) changeNew(n *ast.CallExpr, zero, put string) {
	if p.TypesInfo.Types[n.Args[0]].IsType() {
		p.replace(n.Pos(), n.End(), zero)
		return
	}
	p.replace(n.Pos(), n.Args[0].Pos(), put)
}

// changeMake edits make([]T, n) and make([]T, n, capacity).
func (p *pass) changeMake(n *ast.CallExpr, call string) {
	convert, end := p.conversion(n.Args[0])
	last := n.Args[len(n.Args)-1] // the capacity, if there is one
	p.replace(n.Pos(), last.Pos(), convert+call)
	if len(n.Args) == 3 {
		end = "[:" + p.source(n.Args[1]) + "]" + end
	}
	p.insert(n.End(), end)
}

// conversion returns what stands before and behind a list to give it the written type, where that has
// a name.
func (p *pass) conversion(written ast.Expr) (before, behind string) {
	if _, ok := written.(*ast.ArrayType); ok {
		return "", ""
	}
	return p.source(written) + "(", ")"
}

// named is conversion for append, whose type is not written.
func (p *pass) named(s site) (before, behind, why string) {
	t := p.TypesInfo.TypeOf(s.node)
	if _, plain := types.Unalias(t).(*types.Slice); plain {
		return "", "", ""
	}
	name, why := p.spell(s.stack[0].(*ast.File), t)
	return name + "(", ")", why
}

// spell writes a type as a file does, with the names of its imports.
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
				case spec.Name.Name == "_" || spec.Name.Name == ".":
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

// importArena imports the arena into a file, by a name that the file does not use.
func (p *pass) importArena(file *ast.File) string {
	return p.edits.Import(p.Fset, p.Types, file, arenaPath)
}

// field makes the name of an allocator from that of its type.
func field(name string) string {
	name = strings.NewReplacer("*", "ptr", "[]", "list", ".", "", "interface{}", "any").Replace(name)
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}
