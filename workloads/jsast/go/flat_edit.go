package main

import "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"

// foldInPlace does the same as foldFlat, but in the memory of the tree: it first finds the
// constants, and then replaces them.
func foldInPlace(b *syntaxflat.Builder, t syntaxflat.Tree) (tree syntaxflat.Tree, folds int, err error) {
	var found []syntaxflat.BinaryExpr
	for n := range t.All {
		if n.Kind() == syntaxflat.KindBinaryExpr && mayFold(n.AsBinaryExpr()) {
			found = append(found, n.AsBinaryExpr())
		}
	}
	b.Edit(t)
	for _, n := range found { // children before their parents
		if text, token, ok := foldBinary(n); ok && t.Replace(n.AsAny(), b.LiteralExpr(token, []byte(text)).AsAny()) {
			folds++
		}
	}
	tree, err = b.Finish(t.Root())
	return tree, folds, err
}

// mayFold reports whether the operands are literals, or may become literals by folding.
func mayFold(n syntaxflat.BinaryExpr) bool {
	for _, e := range [...]syntaxflat.IExpr{n.X(), n.Y()} {
		if e.Kind() == syntaxflat.KindGroupExpr {
			e = e.AsGroupExpr().X()
		}
		if e.Kind() != syntaxflat.KindLiteralExpr && e.Kind() != syntaxflat.KindBinaryExpr {
			return false
		}
	}
	return true
}
