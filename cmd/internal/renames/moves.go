package renames

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/imports"
)

// moved maps names, qualified with their old package, to their new package below root.
var moved = map[string]string{
	root + "alloctest.Keep": "benchresult",
}

// A use is a qualified identifier: the name of an imported package, and a name that the package
// declares.
type use struct{ pkg, name *ast.Ident }

// moves updates the qualified identifiers whose names moved, and the imports. If all names that the
// file uses from an import moved to the same package, the import is changed to that package.
func (l *look) moves(file *ast.File) {
	uses, alone := l.usesOfImports(file)
	for _, id := range alone {
		l.leave(id.Pos(), id.Name+" is in package "+root+moved[l.key(l.info.Uses[id])]+" now, and the file imports the old one with a dot")
	}
	for _, spec := range file.Imports {
		object, _ := l.info.Implicits[spec].(*types.PkgName)
		if spec.Name != nil {
			object, _ = l.info.Defs[spec.Name].(*types.PkgName)
		}
		all := uses[object]
		going := l.going(all)
		for pkg, some := range going {
			if len(some) == len(all) && spec.Name != nil { // the import keeps its name
				l.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(root+pkg))
				continue
			}
			l.move(spec, some, pkg, len(some) == len(all))
		}
	}
}

// usesOfImports returns the qualified identifiers of a file, grouped by import, and the unqualified
// names that moved.
func (l *look) usesOfImports(file *ast.File) (uses map[*types.PkgName][]use, alone []*ast.Ident) {
	uses = map[*types.PkgName][]use{}
	seen := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if object, ok := l.info.Uses[id].(*types.PkgName); ok {
					uses[object] = append(uses[object], use{id, n.Sel})
					seen[n.Sel] = true
				}
			}
		case *ast.Ident:
			if !seen[n] && moved[l.key(l.info.Uses[n])] != "" && l.isUnqualified(n, l.info.Uses[n]) {
				alone = append(alone, n)
			}
		}
		return true
	})
	return uses, alone
}

// going returns the uses of names that moved, grouped by the package that contains the names now.
func (l *look) going(all []use) map[string][]use {
	going := map[string][]use{}
	for _, u := range all {
		if pkg := moved[l.key(l.info.Uses[u.name])]; pkg != "" {
			going[pkg] = append(going[pkg], u)
		}
	}
	return going
}

// move changes the package name of the given uses, and imports the new package. If whole is set,
// the file uses nothing else from the old package, and the new import replaces the old one.
// Otherwise, the new import is added.
func (l *look) move(spec *ast.ImportSpec, uses []use, pkg string, whole bool) {
	name := path.Base(pkg)
	isTaken := func(u use) bool { return l.meant(u.pkg, name) != nil }
	if i := slices.IndexFunc(uses, isTaken); i >= 0 {
		l.leave(uses[i].name.Pos(), uses[i].name.Name+" is in package "+root+pkg+" now, but the file uses another "+name)
		return
	}
	for _, u := range uses {
		l.replace(u.pkg.Pos(), u.pkg.End(), name)
	}
	if whole {
		l.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(root+pkg))
		return
	}
	start := l.at(spec.Pos()).Offset
	edits, err := imports.Add(l.name, l.source, map[string]string{root + pkg: ""})
	if err != nil { // not reached in tests, because the file was parsed before
		l.leave(spec.Pos(), "the file needs an import of "+root+pkg+" now: "+err.Error())
		return
	}
	for _, e := range edits {
		l.replace(spec.Pos()+token.Pos(e.Start-start), spec.Pos()+token.Pos(e.End-start), e.Text)
	}
}
