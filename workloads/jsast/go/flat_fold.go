package main

import (
	"math"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// foldFlat returns the tree with its constants folded, and the number of folds.
func foldFlat(b *syntaxflat.Builder, t syntaxflat.Tree) (tree syntaxflat.Tree, folds int, err error) {
	tree, err = b.Rewrite(t, foldingPass(&folds, math.MaxInt))
	return tree, folds, err
}

// foldTaken does the same as foldFlat, but in the memory of the tree.
func foldTaken(b *syntaxflat.Builder, t syntaxflat.Tree) (tree syntaxflat.Tree, folds int, err error) {
	tree, err = b.RewriteInPlace(t, foldingPass(&folds, math.MaxInt))
	return tree, folds, err
}

// foldingPass returns a pass that replaces constant expressions, and counts them.
func foldingPass(folds *int, most int) syntaxflat.Rewriter {
	return syntaxflat.Rewriter{BinaryExpr: func(b *syntaxflat.Builder, n syntaxflat.BinaryExpr) syntaxflat.IExpr {
		text, token, ok := foldBinary(n)
		if !ok || *folds == most {
			return n.AsIExpr()
		}
		*folds++
		return b.LiteralExpr(token, []byte(text))
	}}
}

func foldBinary(n syntaxflat.BinaryExpr) (text string, t syntax.TokenType, ok bool) {
	x, y := literalIn(n.X()), literalIn(n.Y())
	if x.IsNil() || y.IsNil() {
		return "", 0, false
	}
	text, ok = fold(js.TokenType(n.Op()), js.TokenType(x.TokenType()), js.TokenType(y.TokenType()), x.Data(), y.Data())
	return text, x.TokenType(), ok
}

// literalIn returns an expression as a literal, without parentheses, or nil if it is not a
// literal.
func literalIn(e syntaxflat.IExpr) syntaxflat.LiteralExpr {
	if e.Kind() == syntaxflat.KindGroupExpr {
		e = e.AsGroupExpr().X()
	}
	if e.Kind() != syntaxflat.KindLiteralExpr {
		return syntaxflat.LiteralExpr{}
	}
	return e.AsLiteralExpr()
}
