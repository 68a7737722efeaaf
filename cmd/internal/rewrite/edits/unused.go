package edits

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// Drop removes an import from a file if the changed file no longer uses it.
func (s *Set) Drop(fset *token.FileSet, file *ast.File, importPath string) {
	s.drop(fset.File(file.FileStart).Name(), importPath)
}

func (s *Set) drop(file, importPath string) {
	if s.unused == nil {
		s.unused = map[string]map[string]bool{}
	}
	if s.unused[file] == nil {
		s.unused[file] = map[string]bool{}
	}
	s.unused[file][importPath] = true
}

// Unused returns, for each file, the import paths to be removed if the changed file no longer uses
// them.
func (s *Set) Unused() map[string][]string {
	all := map[string][]string{}
	for file, paths := range s.unused {
		all[file] = slices.Sorted(maps.Keys(paths))
	}
	return all
}

// withoutUnused removes the given imports from a file if the file does not use them.
func withoutUnused(source []byte, paths map[string]bool) ([]byte, error) {
	if len(paths) == 0 {
		return source, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var gone []edit
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			gone = append(gone, unusedSpecs(fset, file, g, source, paths)...)
		}
	}
	return apply(source, gone)
}

// unusedSpecs returns the edits that remove imports from an import declaration, or the whole
// declaration if it would be empty.
func unusedSpecs(fset *token.FileSet, file *ast.File, decl *ast.GenDecl, source []byte, paths map[string]bool) (all []edit) {
	for _, s := range decl.Specs {
		spec := s.(*ast.ImportSpec)
		importPath, _ := strconv.Unquote(spec.Path.Value)
		named := spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".")
		alone := *file // a file may import a package twice, under two names
		alone.Imports = []*ast.ImportSpec{spec}
		if !paths[importPath] || named || astutil.UsesImport(&alone, importPath) {
			continue
		}
		from, to := spec.Pos(), spec.End()
		if spec.Doc != nil {
			from = spec.Doc.Pos()
		}
		if spec.Comment != nil {
			to = spec.Comment.End()
		}
		all = append(all, wholeLines(fset, source, from, to))
	}
	if len(all) > 0 && len(all) == len(decl.Specs) {
		return []edit{wholeLines(fset, source, decl.Pos(), decl.End())}
	}
	return all
}

// wholeLines returns an edit that removes the text between two positions or, if the lines contain
// nothing else, the whole lines. It also removes the semicolon between the text and the rest of a
// line.
func wholeLines(fset *token.FileSet, source []byte, from, to token.Pos) edit {
	start, end := fset.PositionFor(from, false).Offset, fset.PositionFor(to, false).Offset
	line := bytes.LastIndexByte(source[:start], '\n') + 1
	next := bytes.IndexByte(source[end:], '\n')
	if next >= 0 && len(bytes.TrimSpace(source[line:start])) == 0 && len(bytes.TrimSpace(source[end:end+next])) == 0 {
		return edit{start: line, end: end + next + 1}
	}
	const space = " \t"
	if rest, ok := bytes.CutPrefix(bytes.TrimLeft(source[end:], space), []byte(";")); ok {
		return edit{start: start, end: len(source) - len(bytes.TrimLeft(rest, space))}
	}
	if before, ok := bytes.CutSuffix(bytes.TrimRight(source[:start], space), []byte(";")); ok {
		return edit{start: len(bytes.TrimRight(before, space)), end: end}
	}
	return edit{start: start, end: end}
}
