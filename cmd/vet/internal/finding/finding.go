// Package finding reports the findings of a rule, unless one of the following comments suppresses
// them:
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

// directive is the prefix of Coppice's own comments that suppress a rule. Such a comment applies to
// its line or, if the line contains only the comment, to the next line. In the doc comment of a
// function, it applies to the whole function. The comment must contain the name of the rule and a
// reason. Without a reason, it has no effect.
const directive = "//coppice:ignore "

// Report reports a finding, unless a comment suppresses it. If a //line directive attributes the
// code to another file, Report drops the suggested fixes: the code is generated, so the next run of
// the generator would undo a fix.
func Report(pass *analysis.Pass, d analysis.Diagnostic) {
	if silenced(pass, d.Pos) {
		return
	}
	if pass.Fset.Position(d.Pos).Filename != pass.Fset.PositionFor(d.Pos, false).Filename {
		d.SuggestedFixes = nil
	}
	pass.Report(d)
}

// Reportf is like Report, but formats the message and has no fix.
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

// physical returns a file set that contains the given file without its //line directives. These
// directives may make distant lines of a file appear to be adjacent.
func physical(file *token.File) *token.FileSet {
	fset := token.NewFileSet()
	fset.AddFile(file.Name(), file.Base(), file.Size()).SetLines(file.Lines())
	return fset
}

// ignored reports whether one of Coppice's own comments suppresses a rule at a position.
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
			if at == line || group == covering || at == line-1 && onlyComments(fset, file, at) {
				return true
			}
		}
	}
	return false
}

// onlyComments reports whether a line contains only comments.
func onlyComments(fset *token.FileSet, file *ast.File, line int) bool {
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

// commentOf returns the doc comment of the function that contains a position, or nil if there is
// none.
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
