package tidy

import "go/ast"

// statistics is the folder of the packages that implement statistical tests.
const statistics = "cmd/internal/stats"

// untestedStatistics requires that each exported function in the folder statistics, or below it, is
// tested in the folder in which it is declared. Tests of its callers do not suffice, because they
// do not detect results that are wrong by a few percent.
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
