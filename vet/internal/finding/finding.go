// Package finding reports what a rule has found, unless a comment says that it is meant:
//
//	stale := s.At(r) //coppice:ignore stalevalue the test wants the panic
//
// The comment stands at the end of the line or alone on the line before. It names the
// rule and gives a reason; without a reason it silences nothing.
package finding

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive is what such comments start with.
const directive = "//coppice:ignore "

// Report reports a finding of the pass's rule.
func Report(pass *analysis.Pass, d analysis.Diagnostic) {
	if !silenced(pass, d.Pos) {
		pass.Report(d)
	}
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
	line := pass.Fset.Position(pos).Line
	for _, group := range file.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, directive)
			if !ok {
				continue
			}
			rule, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
			at := pass.Fset.Position(c.Pos()).Line
			if rule == pass.Analyzer.Name && strings.TrimSpace(reason) != "" && (at == line || at == line-1) {
				return true
			}
		}
	}
	return false
}

// File returns the file of the pass that a position is in, nil if it is in none.
func File(pass *analysis.Pass, pos token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
