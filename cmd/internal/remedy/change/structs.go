package change

import (
	"go/ast"
	"go/types"
)

// StructOf finds the declaration of a struct in the package. It returns the fields and the file,
// which are nil if the package does not declare the struct.
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

// Unkeyed reports whether the package contains a literal of a struct type that omits the field
// names. Such a literal would not compile if the struct got an additional field.
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
