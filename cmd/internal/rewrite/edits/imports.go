package edits

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Import makes sure that a file imports a package, and returns the name that the file has for it: its own one, or one
// with the prefix coppice where that is taken.
func (s *Set) Import(fset *token.FileSet, pkg *types.Package, file *ast.File, importPath string) string {
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == importPath && (spec.Name == nil || spec.Name.Name != "_" && spec.Name.Name != ".") {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path.Base(importPath)
		}
	}
	fileName := fset.File(file.FileStart).Name()
	if name, ok := s.imports[fileName][importPath]; ok {
		if name == "" {
			return path.Base(importPath)
		}
		return name
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	name, written := path.Base(importPath), ""
	for used[name] || pkg.Scope().Lookup(name) != nil {
		name = "coppice" + name
		written = name
	}
	s.need(fileName, importPath, written)
	return name
}

func (s *Set) need(file, importPath, name string) {
	if s.imports == nil {
		s.imports = map[string]map[string]string{}
	}
	if s.imports[file] == nil {
		s.imports[file] = map[string]string{}
	}
	s.imports[file][importPath] = name
}

// importing returns the edit that adds imports to a file: in its import declaration, in the group of the standard
// library or that of others; gofmt puts them in order.
func importing(fileName string, old []byte, needed map[string]string) ([]edit, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, fileName, old, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var standard, others []string
	for _, p := range slices.Sorted(maps.Keys(needed)) {
		spec := "\t" + strings.TrimSpace(needed[p]+" "+strconv.Quote(p)) + "\n"
		if isStandard(p) {
			standard = append(standard, spec)
		} else {
			others = append(others, spec)
		}
	}
	offset := func(pos token.Pos) int { return fset.PositionFor(pos, false).Offset }
	lineStart := func(pos token.Pos) int { return strings.LastIndexByte(string(old[:offset(pos)]), '\n') + 1 }
	decl := importDecl(file)
	switch {
	case decl == nil:
		at := offset(file.Name.End())
		return []edit{{start: at, end: at, text: "\n\nimport (\n" + join(standard, others) + ")"}}, nil
	case oneLine(decl, lineStart):
		at := offset(decl.End())
		return []edit{{start: at, end: at, text: "\n\nimport (\n" + join(standard, others) + ")"}}, nil
	case !decl.Lparen.IsValid():
		spec := decl.Specs[0].(*ast.ImportSpec)
		own := "\t" + string(old[offset(spec.Pos()):offset(spec.End())]) + "\n"
		if p, _ := strconv.Unquote(spec.Path.Value); isStandard(p) {
			standard = append(standard, own)
		} else {
			others = append(others, own)
		}
		slices.Sort(standard)
		slices.Sort(others)
		return []edit{{start: offset(decl.Pos()), end: offset(decl.End()), text: "import (\n" + join(standard, others) + ")"}}, nil
	}
	var all []edit
	if len(standard) > 0 {
		all = append(all, grouped(decl, standard, true, lineStart, offset))
	}
	if len(others) > 0 {
		all = append(all, grouped(decl, others, false, lineStart, offset))
	}
	return all, nil
}

// oneLine reports whether a declaration with parentheses has imports that do not begin a line: import ("a"; "b").
func oneLine(decl *ast.GenDecl, lineStart func(token.Pos) int) bool {
	line := lineStart(decl.Lparen)
	for _, s := range decl.Specs {
		if decl.Lparen.IsValid() && lineStart(s.Pos()) == line {
			return true
		}
		line = lineStart(s.Pos())
	}
	return false
}

// grouped adds to a declaration with parentheses: before the first import of the same group, or as a group of its own.
func grouped(decl *ast.GenDecl, specs []string, standard bool, lineStart, offset func(token.Pos) int) edit {
	text := strings.Join(specs, "")
	for _, s := range decl.Specs {
		if p, _ := strconv.Unquote(s.(*ast.ImportSpec).Path.Value); isStandard(p) == standard {
			at := lineStart(s.Pos())
			return edit{start: at, end: at, text: text}
		}
	}
	switch {
	case len(decl.Specs) == 0:
		text = "\n" + text
	case standard:
		at := lineStart(decl.Specs[0].Pos())
		return edit{start: at, end: at, text: text + "\n"}
	default:
		text = "\n" + text
	}
	end := offset(decl.Rparen)
	return edit{start: end, end: end, text: text}
}

func importDecl(file *ast.File) *ast.GenDecl {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && !(len(g.Specs) == 1 && g.Specs[0].(*ast.ImportSpec).Path.Value == `"C"`) {
			return g
		}
	}
	return nil
}

// join writes two groups.
func join(standard, others []string) string {
	text := strings.Join(standard, "")
	if len(standard) > 0 && len(others) > 0 {
		text += "\n"
	}
	return text + strings.Join(others, "")
}

// isStandard tells paths of the standard library: their first element has no dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
