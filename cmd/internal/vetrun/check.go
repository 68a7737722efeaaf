package vetrun

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
)

// work parses and type-checks a unit, and runs its analyzers. It does not keep the syntax of the
// unit.
func (u *unit) work(g *graph) {
	if u.trouble = u.listed(); u.trouble != nil {
		return
	}
	if u.PkgPath == "unsafe" {
		u.declared = types.Unsafe
		return
	}
	syntax, mistakes := u.parse(g)
	info, more := u.check(g, syntax)
	if mistakes = append(mistakes, more...); len(mistakes) > 0 {
		u.trouble = &Trouble{Package: u.PkgPath, Mistakes: mistakes}
		return
	}
	analyzers := g.factual
	if u.root {
		analyzers = g.analyzers
	}
	p := pass{graph: g, unit: u, syntax: syntax, info: info}
	if err := p.run(analyzers); err != nil {
		u.trouble = &Trouble{Package: u.PkgPath, Mistakes: []Mistake{{Text: err.Error()}}}
	}
}

// parse parses the files of a unit. Comments are needed only in packages whose findings are wanted.
func (u *unit) parse(g *graph) (syntax []*ast.File, mistakes []Mistake) {
	mode := parser.SkipObjectResolution | parser.AllErrors
	if u.root {
		mode |= parser.ParseComments
	}
	for _, name := range u.CompiledGoFiles {
		file, err := parser.ParseFile(g.files, name, nil, mode)
		var list scanner.ErrorList
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				mistakes = append(mistakes, Mistake{Position: e.Pos, Text: e.Msg})
			}
		case err != nil:
			mistakes = append(mistakes, Mistake{Text: err.Error()})
		}
		if file != nil {
			syntax = append(syntax, file)
		}
	}
	return syntax, mistakes
}

// check type-checks a unit. Importers need the types of its declarations, and the analyzers need
// the types of all expressions.
func (u *unit) check(g *graph, syntax []*ast.File) (info *types.Info, mistakes []Mistake) {
	config := types.Config{Importer: u, Sizes: u.TypesSizes, Error: func(err error) {
		m := Mistake{Text: err.Error()}
		var e types.Error
		if errors.As(err, &e) {
			m = Mistake{Position: g.files.Position(e.Pos), Text: e.Msg}
		}
		mistakes = append(mistakes, m)
	}}
	if u.Module != nil && u.Module.GoVersion != "" {
		config.GoVersion = "go" + u.Module.GoVersion
	}
	info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Implicits: map[ast.Node]types.Object{}, FileVersions: map[*ast.File]string{}, // needed to build the SSA form
	}
	if u.root {
		info.Scopes = map[ast.Node]*types.Scope{}
	}
	u.declared = types.NewPackage(u.PkgPath, u.Name)
	err := types.NewChecker(&config, g.files, u.declared, info).Files(syntax)
	if err != nil && len(mistakes) == 0 {
		mistakes = append(mistakes, Mistake{Text: err.Error()})
	}
	return info, mistakes
}

// Import implements types.Importer. It is called only after all imported units are finished.
func (u *unit) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	imported := u.imports[path]
	if imported == nil || imported.declared == nil {
		return nil, fmt.Errorf("package %s was not loaded", path)
	}
	return imported.declared, nil
}
