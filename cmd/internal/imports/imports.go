// Package imports adds imports to the text of a Go file. Comments stay where they are: that of the
// package clause, those of imports, and the preamble of import "C".
package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	Start, End int
	Text       string
}

// Add returns the edits that add imports to a file: in its import declaration, in the group of the
// standard library or in the group of others; gofmt puts them in order. The parameter needed has
// the names by import path; "" for the package's own.
func Add(fileName string, old []byte, needed map[string]string) ([]Edit, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, fileName, old, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
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
	t := text{file, fset.File(file.FileStart), old}
	decl := importDecl(file)
	switch {
	case decl == nil:
		at := t.after(file.Name.End())
		return []Edit{{at, at, "\n\nimport (\n" + join(standard, others) + ")"}}, nil
	case t.oneLine(decl):
		at := t.after(decl.End())
		return []Edit{{at, at, "\n\nimport (\n" + join(standard, others) + ")"}}, nil
	case !decl.Lparen.IsValid():
		spec := decl.Specs[0].(*ast.ImportSpec)
		end := t.after(decl.End())
		own := "\t" + string(old[t.offset(spec.Pos()):end]) + "\n"
		if p, _ := strconv.Unquote(spec.Path.Value); isStandard(p) {
			standard = append(standard, own)
		} else {
			others = append(others, own)
		}
		slices.SortFunc(standard, byPath)
		slices.SortFunc(others, byPath)
		return []Edit{{t.offset(decl.Pos()), end, "import (\n" + join(standard, others) + ")"}}, nil
	}
	var all []Edit
	if len(standard) > 0 {
		all = append(all, t.grouped(decl, standardGroup, standard))
	}
	if len(others) > 0 {
		all = append(all, t.grouped(decl, otherGroup, others))
	}
	return all, nil
}

// text is a file and its bytes.
type text struct {
	file   *ast.File
	at     *token.File
	source []byte
}

func (t text) offset(pos token.Pos) int { return t.at.Offset(pos) }

func (t text) lineStart(pos token.Pos) int {
	return strings.LastIndexByte(string(t.source[:t.offset(pos)]), '\n') + 1
}

// after returns the offset after a piece of syntax and the comments that follow it on its line,
// which belong to it.
func (t text) after(end token.Pos) int {
	at := t.offset(end)
	for _, group := range t.file.Comments {
		for _, c := range group.List {
			if from := t.offset(c.Pos()); from >= at && strings.Trim(string(t.source[at:from]), " \t;") == "" {
				at = t.offset(c.End())
			}
		}
	}
	return at
}

// oneLine reports whether a declaration with parentheses has imports that do not begin a line:
// import ("a"; "b").
func (t text) oneLine(decl *ast.GenDecl) bool {
	line := t.lineStart(decl.Lparen)
	for _, s := range decl.Specs {
		if decl.Lparen.IsValid() && t.lineStart(s.Pos()) == line {
			return true
		}
		line = t.lineStart(s.Pos())
	}
	return false
}

// A group is one of the groups of imports that gofmt keeps apart.
type group int

// The groups.
const (
	standardGroup group = iota
	otherGroup
)

func groupOf(importPath string) group {
	if isStandard(importPath) {
		return standardGroup
	}
	return otherGroup
}

// grouped adds imports to a declaration with parentheses: before the first import of the same
// group, or as a group of their own.
func (t text) grouped(decl *ast.GenDecl, g group, specs []string) Edit {
	added := strings.Join(specs, "")
	for _, s := range decl.Specs {
		if p, _ := strconv.Unquote(s.(*ast.ImportSpec).Path.Value); groupOf(p) == g {
			at := t.firstLine(s.(*ast.ImportSpec))
			return Edit{at, at, added}
		}
	}
	switch {
	case len(decl.Specs) == 0:
		added = "\n" + added
	case g == standardGroup:
		at := t.firstLine(decl.Specs[0].(*ast.ImportSpec))
		return Edit{at, at, added + "\n"}
	default:
		added = "\n" + added
	}
	end := t.offset(decl.Rparen)
	return Edit{end, end, added}
}

// firstLine returns the offset of the first line of an import, with the comment above it.
func (t text) firstLine(s *ast.ImportSpec) int {
	if s.Doc != nil {
		return t.lineStart(s.Doc.Pos())
	}
	return t.lineStart(s.Pos())
}

func importDecl(file *ast.File) *ast.GenDecl {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && !(len(g.Specs) == 1 && g.Specs[0].(*ast.ImportSpec).Path.Value == `"C"`) {
			return g
		}
	}
	return nil
}

// byPath orders lines of imports by their paths.
func byPath(a, b string) int {
	path := func(line string) string { return line[strings.IndexByte(line, '"'):] }
	return strings.Compare(path(a), path(b))
}

// join writes two groups.
func join(standard, others []string) string {
	text := strings.Join(standard, "")
	if len(standard) > 0 && len(others) > 0 {
		text += "\n"
	}
	return text + strings.Join(others, "")
}

// isStandard recognizes paths of the standard library: their first element has no dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
