package tidy

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// text returns the value of a string literal: the expression itself, the format of a call to
// fmt.Sprintf, or the first operand of a concatenation. It returns false for other expressions.
func text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		return text(e.X)
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return text(e.Args[0])
		}
	}
	return "", false
}

// benchmarkNames requires that the names of sub-benchmarks have the format key=value, by which
// benchstat can group them.
func benchmarkNames(t *Tree) (all []Complaint) {
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if !f.Test || !strings.HasPrefix(fn.Name.Name, "Benchmark") {
			return
		}
		one := &GoFile{File: &ast.File{Name: f.Name, Decls: []ast.Decl{fn}}}
		one.calls("b", "Run", func(call *ast.CallExpr) {
			name, ok := text(call.Args[0])
			if !ok {
				return
			}
			for part := range strings.SplitSeq(name, "/") {
				if !strings.Contains(part, "=") {
					all = append(all, t.complain(f, call.Pos(), "sub-benchmark %q has a part without a key; name it key=value/key=value", name))
					return
				}
			}
		})
	})
	return all
}
