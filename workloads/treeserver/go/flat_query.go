package main

import (
	"go/token"
	"slices"

	"github.com/tdewolff/parse/v2/js"

	goflat "github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
	jssyntax "github.com/coppice-go/coppice/workloads/jsast/syntax"
	jsflat "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// references reads the buffer of each tree from start to end. It compares strings: a tree keeps
// each name once, but looking up the number of a name costs more than one pass over the tree.
func (f *flats) references(name string, found []place) []place {
	for i, tree := range f.goTrees {
		if tree.Flat() == nil {
			continue
		}
		for n := range tree.All {
			switch n.Kind() {
			case goflat.KindIdent:
				if id := n.AsIdent(); id.Name() == name {
					found = append(found, place{uint32(i), uint32(id.At()), reference})
				}
			case goflat.KindSelectorExpr:
				if sel := n.AsSelectorExpr(); sel.Sel() == name {
					found = append(found, place{uint32(i), uint32(sel.At()), reference})
				}
			}
		}
	}
	for i, tree := range f.jsTrees {
		if tree.Flat() == nil {
			continue
		}
		if uses := usesIn(tree, name); uses > 0 {
			found = append(found, place{uint32(i), uses, reference})
		}
	}
	return found
}

// usesIn counts the uses of variables and properties with the given name.
func usesIn(tree jsflat.Tree, name string) (uses uint32) {
	for n := range tree.All {
		switch n.Kind() {
		case jsflat.KindIdent:
			if n.AsIdent().Var().Data() == name {
				uses++
			}
		case jsflat.KindDotExpr:
			y := n.AsDotExpr().Y()
			if y.Kind() != jsflat.KindLiteralExpr {
				continue
			}
			if field := y.AsLiteralExpr(); field.TokenType() == jssyntax.TokenType(js.IdentifierToken) && field.Data() == name {
				uses++
			}
		}
	}
	return uses
}

func (f *flats) lint(found []place) []place {
	l := flatLint{found: found}
	for i, tree := range f.goTrees {
		if tree.Flat() != nil {
			l.file = uint32(i)
			l.goFile(tree.Root().AsFile())
		}
	}
	found = l.found
	for i, tree := range f.jsTrees {
		if tree.Flat() == nil {
			continue
		}
		loose := uint32(0)
		for n := range tree.All {
			if n.Kind() != jsflat.KindBinaryExpr {
				continue
			}
			if op := js.TokenType(n.AsBinaryExpr().Op()); op == js.EqEqToken || op == js.NotEqToken {
				loose++
			}
		}
		if loose > 0 {
			found = append(found, place{uint32(i), loose, looseEquality})
		}
	}
	return found
}

// A flatLint applies the rules to trees of Go.
type flatLint struct {
	found  []place
	file   uint32
	params []goflat.Ident // parameters of the enclosing function that its body has not named so far
}

// goFile visits declarations in preorder. Within a function, it visits only the body.
func (l *flatLint) goFile(f goflat.File) {
	for d := range f.Decls {
		l.params = l.params[:0]
		root := d.AsAny()
		if d.Kind() == goflat.KindFuncDecl {
			n := d.AsFuncDecl()
			if root = n.Body().AsAny(); root.IsNil() {
				continue
			}
			l.enter(n.Type().Params())
		}
		for n := range root.Preorder {
			switch n.Kind() {
			case goflat.KindIdent:
				l.ident(n.AsIdent())
			case goflat.KindIfStmt:
				l.branch(n.AsIfStmt())
			case goflat.KindBinaryExpr:
				l.compared(n.AsBinaryExpr())
			}
		}
		for _, name := range l.params {
			l.add(uint32(name.At()), unusedParameter)
		}
	}
}

// enter remembers the parameters of a function.
func (l *flatLint) enter(params goflat.FieldList) {
	for field := range params.List {
		switch field.Kind() {
		case goflat.KindParam:
			for name := range field.AsParam().Names {
				l.param(name)
			}
		case goflat.KindField: // a parameter with documentation
			for name := range field.AsField().Names {
				l.param(name)
			}
		}
	}
}

func (l *flatLint) param(name goflat.Ident) {
	if name.Name() != "_" {
		l.params = append(l.params, name)
	}
}

func (l *flatLint) add(at uint32, why rule) { l.found = append(l.found, place{l.file, at, why}) }

func (l *flatLint) ident(n goflat.Ident) {
	if len(l.params) == 0 {
		return
	}
	name := n.Name()
	for i, p := range l.params {
		if p.Name() == name {
			l.params = slices.Delete(l.params, i, i+1)
			return
		}
	}
}

func (l *flatLint) branch(n goflat.IfStmt) {
	body := n.Body()
	if last := body.NumList() - 1; n.Else().Kind() == goflat.KindBlockStmt && last >= 0 && body.ListAt(last).Kind() == goflat.KindReturnStmt {
		l.add(uint32(n.At()), elseAfterReturn)
	}
}

func (l *flatLint) compared(n goflat.BinaryExpr) {
	if op := token.Token(n.Op()); (op == token.EQL || op == token.NEQ) && (isFlatBool(n.X()) || isFlatBool(n.Y())) {
		l.add(n.OpPos(), boolCompared)
	}
}

func isFlatBool(e goflat.Expr) bool {
	if e.Kind() != goflat.KindIdent {
		return false
	}
	name := e.AsIdent().Name()
	return name == "true" || name == "false"
}
