// Package finding reports the findings of a rule, unless a comment suppresses them:
//
//	stale := s.At(r) //coppice:ignore stalevalue the test wants the panic
//	stale := s.At(r) //nolint:coppice // the test wants the panic
//	//lint:ignore coppice/stalevalue the test wants the panic
//	stale := s.At(r)
//
//	finding.go   reporting, and the first of these comments
//	foreign.go   the other two: comments of golangci-lint and staticcheck
//	firsts.go    the first position of each mistake
package finding

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive starts a comment of Coppice that suppresses a rule. It covers its own line, the line
// below if it is alone on its line, or a whole function if it is in the function's doc comment. It
// names the rule and gives a reason; without a reason it has no effect.
const directive = "//coppice:ignore "

// Report reports a finding of the pass's rule. Code that a //line directive attributes to another
// file gets no fix: it is generated, and the next run of the generator would undo the change.
func Report(pass *analysis.Pass, d analysis.Diagnostic) {
	if silenced(pass, d.Pos) {
		return
	}
	if pass.Fset.Position(d.Pos).Filename != pass.Fset.PositionFor(d.Pos, false).Filename {
		d.SuggestedFixes = nil
	}
	pass.Report(d)
}

// Reportf reports a finding without a fix.
func Reportf(pass *analysis.Pass, pos token.Pos, format string, args ...any) {
	Report(pass, analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

func silenced(pass *analysis.Pass, pos token.Pos) bool {
	file := File(pass, pos)
	if file == nil {
		return false
	}
	fset := physical(pass.Fset.File(file.FileStart))
	rule, line := pass.Analyzer.Name, fset.Position(pos).Line
	return ignored(fset, file, pos, rule) || nolint(fset, file, line, rule) || lintIgnored(fset, file, line, rule)
}

// physical returns a file set with one file, without its //line directives: according to these,
// two positions that are far apart may seem to be neighbors.
func physical(file *token.File) *token.FileSet {
	fset := token.NewFileSet()
	fset.AddFile(file.Name(), file.Base(), file.Size()).SetLines(file.Lines())
	return fset
}

// ignored reports whether a comment of Coppice suppresses a rule at a position.
func ignored(fset *token.FileSet, file *ast.File, pos token.Pos, rule string) bool {
	line := fset.Position(pos).Line
	covering := commentOf(file, pos)
	for _, group := range file.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, directive)
			if !ok {
				continue
			}
			named, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
			at := fset.Position(c.Pos()).Line
			if named != rule || strings.TrimSpace(reason) == "" {
				continue
			}
			if at == line || group == covering || at == line-1 && alone(fset, file, at) {
				return true
			}
		}
	}
	return false
}

// alone reports whether a line has comments only.
func alone(fset *token.FileSet, file *ast.File, line int) bool {
	code := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		}
		first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()-1).Line
		code = code || first == line || last == line
		return first <= line && line <= last
	})
	return !code
}

// commentOf returns the comment before the function that contains a position, or nil if there
// is none.
func commentOf(file *ast.File, pos token.Pos) *ast.CommentGroup {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
			return fn.Doc
		}
	}
	return nil
}

// File returns the file of the pass that contains a position, or nil if there is none.
func File(pass *analysis.Pass, pos token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
