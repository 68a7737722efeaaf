package tidy

import "go/ast"

// statistics is the folder that, with its subfolders, contains the tests of hypotheses.
const statistics = "cmd/internal/stats"

// untestedStatistics requires that each exported function below the folder statistics is tested in
// its own folder. Tests of its callers do not suffice, because a function that is wrong by a few
// percent looks right wherever it is used.
func untestedStatistics(t *Tree) (all []Complaint) {
	tested := map[string]bool{} // "cmd/internal/stats Holm"
	for _, f := range t.Go {
		if !f.Test || !isIn(f.Package, statistics) {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if name, is := n.(*ast.Ident); is {
				tested[f.Package+" "+name.Name] = true
			}
			return true
		})
	}
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if !f.Test && isIn(f.Package, statistics) && fn.Recv == nil && fn.Name.IsExported() && !tested[f.Package+" "+fn.Name.Name] {
			all = append(all, t.complain(f, fn.Pos(), "no test of the folder calls %s; test it on distributions that are known", fn.Name.Name))
		}
	})
	return all
}
