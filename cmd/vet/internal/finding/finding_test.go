package finding_test

import (
	"go/ast"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
)

// badCall is a rule that reports every call of a function with the name bad.
var badCall = &analysis.Analyzer{
	Name: "badcall",
	Doc:  "find calls of bad",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "bad" {
						finding.Reportf(pass, call.Pos(), "bad is called")
					}
				}
				return true
			})
		}
		return nil, nil
	},
}

func TestCommentsSilence(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), badCall, "meant", "whole", "lines")
}
