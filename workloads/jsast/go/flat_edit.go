package main

import "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"

// foldInPlace is foldFlat in the memory of the tree.
func foldInPlace(b *syntaxflat.Builder, t syntaxflat.Tree) (tree syntaxflat.Tree, folds int, err error) {
	return foldFlat(b, t)
}
