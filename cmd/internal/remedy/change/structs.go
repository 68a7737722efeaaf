package change

import (
	"go/ast"
	"go/types"
)

// StructOf returns the fields in the declaration of a struct of the package, and the file that
// contains the declaration. Both are nil if there is none.
func (r *Request) StructOf(named *types.Named) (*ast.FieldList, *ast.File) {
	for _, file := range r.Package.Syntax {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && r.Package.TypesInfo.Defs[s.Name] == named.Obj() {
					if t, ok := s.Type.(*ast.StructType); ok {
						return t.Fields, file
					}
				}
			}
		}
	}
	return nil, nil
}

// Unkeyed reports whether the package contains a literal of a struct type without field names. Such
// a literal would not compile if the struct got an additional field.
func (r *Request) Unkeyed(named *types.Named) (found bool) {
	for _, file := range r.Package.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if ok && len(lit.Elts) > 0 {
				t := r.Package.TypesInfo.TypeOf(lit)
				if p, ok := t.Underlying().(*types.Pointer); ok {
					t = p.Elem()
				}
				_, keyed := lit.Elts[0].(*ast.KeyValueExpr)
				found = found || !keyed && types.Identical(t, named)
			}
			return !found
		})
	}
	return found
}
