package main

import (
	"go/ast"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// inspected is pointers with an Inspector for each Go file.
type inspected struct {
	*pointers
	lists []*inspector.Inspector // indexed by file
}

func newInspected(files int) *inspected {
	return &inspected{newPointers(files), make([]*inspector.Inspector, files)}
}

func (s *inspected) loader() update  { return s.update }
func (s *inspected) updater() update { return s.update }

func (s *inspected) update(file int, text []byte) error {
	if err := s.pointers.update(file, text); err != nil {
		return err
	}
	if source.IsGo(file) {
		s.lists[file] = inspector.New([]*ast.File{s.goTrees[file]})
	}
	return nil
}

func (s *inspected) references(name string, found []place) []place {
	w := goWalk{name: name, found: found}
	idents := []ast.Node{(*ast.Ident)(nil)}
	look := func(n ast.Node) { w.ident(n.(*ast.Ident)) }
	for i, list := range s.lists {
		if list != nil {
			w.file, w.base = uint32(i), s.goTrees[i].FileStart
			list.Preorder(idents, look)
		}
	}
	return s.jsReferences(name, w.found)
}

// looked lists the kinds of nodes that the rules inspect.
var looked = []ast.Node{(*ast.Ident)(nil), (*ast.IfStmt)(nil), (*ast.BinaryExpr)(nil)}

func (s *inspected) lint(found []place) []place {
	w := goWalk{found: found}
	for i, list := range s.lists {
		if list == nil {
			continue
		}
		w.file, w.base = uint32(i), s.goTrees[i].FileStart
		file, _ := list.Root().FirstChild()
		for d := range file.Children() {
			switch n := d.Node().(type) {
			case *ast.GenDecl:
				w.inspect(d)
			case *ast.FuncDecl:
				if n.Body != nil {
					w.enter(n)
					w.inspect(d.ChildAt(edge.FuncDecl_Body, -1))
					w.leave()
				}
			}
		}
	}
	return s.jsLint(w.found)
}

// inspect applies the rules below a node.
func (w *goWalk) inspect(root inspector.Cursor) {
	for c := range root.Preorder(looked...) {
		switch n := c.Node().(type) {
		case *ast.Ident:
			if len(w.params) > 0 && c.ParentEdgeKind() != edge.SelectorExpr_Sel {
				w.ident(n)
			}
		case *ast.IfStmt:
			w.branch(n)
		case *ast.BinaryExpr:
			w.compared(n)
		}
	}
}
