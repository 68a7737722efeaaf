package own

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// wireArena adds the arena field to the owner, and the new function to the package.
func (p *pass) wireArena() error {
	a := p.arena
	file := p.FileOf(a.owner.Fields.Pos())
	if file == nil {
		return errors.New("the owner is in no file of the package")
	}
	typ := "*" + p.edits.Import(p.Fset, p.Types, file, ArenaPath) + ".Arena"
	p.edits.InsertOnce(p.Fset, a.owner.Fields.Closing, fmt.Sprintf("\n\t%s %s // where the values of a result come from; nil is the Go heap\n", a.field, typ))
	parameter := a.parameter
	ast.Inspect(a.decl.Body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok {
			if v, t := p.constructed(assign); t != nil && types.Identical(types.Unalias(t), a.owner.Object) && v.Name != "_" {
				p.edits.Insert(p.Fset, assign.End(), fmt.Sprintf("%s%s.%s = %s", p.newLine(assign.Pos()), v.Name, a.field, parameter))
			}
		}
		if decl, ok := n.(*ast.DeclStmt); ok {
			for v := range p.zeroVariables(decl) {
				if types.Identical(p.TypesInfo.Defs[v].Type(), a.owner.Object) {
					p.edits.Insert(p.Fset, decl.End(), fmt.Sprintf("%s%s.%s = %s", p.newLine(decl.Pos()), v.Name, a.field, parameter))
				}
			}
		}
		lit, ok := n.(*ast.CompositeLit)
		if ok && types.Identical(p.TypesInfo.TypeOf(lit), a.owner.Object) {
			next, before, behind := lit.Rbrace, "", ""
			if len(lit.Elts) > 0 {
				next, behind = lit.Elts[0].Pos(), ", "
			}
			if p.line(lit.Lbrace) != p.line(next) {
				before, behind = "\n", ","
			}
			p.edits.Insert(p.Fset, lit.Lbrace+1, before+a.field+": "+parameter+behind)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return p.writeForm()
}

func (p *pass) line(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Line }

// arenaField returns the name of the field for the arena.
func (p *pass) arenaField(o *owner) string {
	for _, name := range []string{"arena", "arenaOfResult"} {
		if !p.taken(o, name) {
			return name
		}
	}
	return "coppiceArena"
}

// arenaParameter returns a name for the arena parameter of the new variant of a function. If all
// names are taken, it returns "" and the reason.
func arenaParameter(decl *ast.FuncDecl) (name, why string) {
	used := map[string]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range []string{"a", "memory", "in"} {
		if !used[name] {
			return name, ""
		}
	}
	return "", "the names for a parameter are taken"
}

// writeForm moves the body of the function to the new function, and makes the old function call the
// new one.
func (p *pass) writeForm() error {
	a := p.arena
	decl, parameter := a.decl, a.parameter
	var args []string
	for _, field := range decl.Type.Params.List {
		if len(field.Names) == 0 {
			return fmt.Errorf("a parameter of %s has no name", decl.Name.Name)
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				return fmt.Errorf("a parameter of %s has no name", decl.Name.Name)
			}
			arg := name.Name
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	file := p.FileOf(decl.Pos())
	arena := p.edits.Import(p.Fset, p.Types, file, ArenaPath)
	call := fmt.Sprintf("%s(%s)", a.name, strings.Join(append([]string{"nil"}, args...), ", "))
	if decl.Type.Results != nil {
		call = "return " + call
	}
	head := fmt.Sprintf("{ %s }\n\n%s\nfunc %s(%s *%s.Arena", call, p.contract(parameter), a.name, parameter, arena)
	if len(args) > 0 {
		head += ", "
	}
	rest := p.Between(decl.Type.Params.Opening+1, decl.Body.Lbrace)
	p.edits.Insert(p.Fset, decl.Body.Lbrace, head+rest)
	return nil
}

// contract returns the comment that tells callers how to use the new function.
func (p *pass) contract(parameter string) string {
	name := p.arena.decl.Name.Name
	return fmt.Sprintf(`// %[1]s is %[2]s with a result in an arena: its values, also those in an error, are valid until
// %[3]s.Reset. Copy what must live longer with arena.Export first. A nil arena is the Go heap. Only
// one goroutine may use an arena at a time.`, p.arena.name, name, parameter)
}
