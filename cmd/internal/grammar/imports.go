package grammar

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// parsed parses a Go file. With parser.ImportsOnly, it stops after the imports.
func parsed(data []byte, mode parser.Mode) (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", data, mode|parser.SkipObjectResolution)
	return fset, file, err
}

// importsOf returns the imports of a Go file as the keys of a map. A key is the path of an import,
// preceded by its name if it has one.
func importsOf(file *ast.File) map[string]string {
	all := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			path = spec.Name.Name + " " + path
		}
		all[path] = ""
	}
	return all
}

// split returns the imports of a Go file, and the file with the imports blanked out.
func split(data []byte) (all map[string]string, rest []byte, err error) {
	fset, file, err := parsed(data, parser.ImportsOnly)
	if err != nil {
		return nil, nil, err
	}
	rest = bytes.Clone(data)
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			blank(rest[fset.PositionFor(g.Pos(), false).Offset:fset.PositionFor(g.End(), false).Offset])
		}
	}
	return importsOf(file), rest, nil
}

// blank overwrites text with spaces, and keeps line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// Lacks returns the paths of the imports that the change to a Go file removes.
func Lacks(before, after []byte) (paths []string, err error) {
	_, old, err := parsed(before, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	_, changed, err := parsed(after, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	there := importsOf(changed)
	for _, spec := range old.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path
		if spec.Name != nil {
			name = spec.Name.Name + " " + path
		}
		if _, ok := there[name]; !ok {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// specOf returns the range of the import with the given path. It returns false unless the import is
// alone on its line.
func specOf(text []byte, path string) (start, end int, ok bool) {
	fset, file, _ := parsed(text, parser.ImportsOnly) // as much as can be parsed
	if file == nil {
		return 0, 0, false
	}
	for _, d := range file.Decls {
		g, isImport := d.(*ast.GenDecl)
		if !isImport || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			if p, _ := strconv.Unquote(spec.Path.Value); p != path {
				continue
			}
			var node ast.Node = spec
			if len(g.Specs) == 1 {
				node = g
			}
			start, end := fset.PositionFor(node.Pos(), false).Offset, fset.PositionFor(node.End(), false).Offset
			begin := bytes.LastIndexByte(text[:start], '\n') + 1
			rest := bytes.IndexByte(text[end:], '\n')
			whole := rest >= 0 && len(bytes.TrimSpace(text[begin:start])) == 0 && len(bytes.TrimSpace(text[end:end+rest])) == 0
			return begin, end + rest + 1, whole
		}
	}
	return 0, 0, false
}
