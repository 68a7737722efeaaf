package flat_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// The rewriters below must do the same as the functions rewritten and renamed in
// cpp/test/flat_formats.hpp.

var crossExpr = exprflat.Rewriter{
	Bin: func(b *exprflat.Builder, n exprflat.Bin) exprflat.Expr {
		l, r := n.L(), n.R()
		switch {
		case l.Kind() == exprflat.KindNum && r.Kind() == exprflat.KindNum:
			return b.Num(l.AsNum().Value() + r.AsNum().Value())
		case n.Op()%2 == 0:
			return b.Bin(n.Op(), r, l)
		case n.Op()%5 == 0:
			return exprflat.Expr{}
		default:
			return n.AsExpr()
		}
	},
	Call: func(_ *exprflat.Builder, n exprflat.Call) exprflat.Expr {
		if n.NumArgs() == 0 {
			return n.AsExpr()
		}
		return n.Arg(n.NumArgs() - 1)
	},
}

var crossDag = dagflat.Rewriter{
	Pair: func(b *dagflat.Builder, n dagflat.Pair) dagflat.Term { return b.Pair(n.B(), n.A()) },
	List: func(b *dagflat.Builder, n dagflat.List) dagflat.Term {
		if n.NumItems() == 0 {
			return dagflat.Term{}
		}
		return b.Pair(n.Item(0), n.Item(0))
	},
}

var crossEvery = everyflat.Rewriter{
	Interned: func(b *everyflat.Builder, _ everyflat.Interned) everyflat.Any { return b.Null().AsAny() },
	Scalars: func(_ *everyflat.Builder, n everyflat.Scalars) everyflat.Any {
		if n.U8()%2 == 1 {
			return everyflat.Any{}
		}
		return n.AsAny()
	},
}

var crossAst = astflat.Rewriter{
	Num: func(b *astflat.Builder, n astflat.Num) astflat.Expr { return b.Call(n.AsExpr(), astflat.ArgsFields{}) },
	Int: func(*astflat.Builder, astflat.Int) astflat.Expr { return astflat.Expr{} },
}

var crossLinks = linksflat.Rewriter{
	Use: func(b *linksflat.Builder, n linksflat.Use) linksflat.Node { return b.Use(n.Var()) },
	Group: func(_ *linksflat.Builder, n linksflat.Group) linksflat.Node {
		if n.NumItems() == 0 {
			return n.AsNode()
		}
		return n.Item(0)
	},
}

var crossWeb = web2flat.Rewriter{
	Knot: func(b *web2flat.Builder, n web2flat.Knot) web2flat.Node {
		if n.Prec()%2 == 0 {
			return n.AsNode()
		}
		return b.Knot(web2flat.KnotFields{On: n.On(), Prec: -16, Up: n.Up()})
	},
	Web: func(_ *web2flat.Builder, n web2flat.Web) web2flat.Node {
		if n.NumKids() == 0 || n.Kid(0).Kind() != web2flat.KindWeb {
			return n.AsNode()
		}
		return n.Kid(0)
	},
}

// crossRewritten rewrites a tree with the rewriter for its schema, and returns the result as a
// file. It returns nil for schemas without a rewriter, which C++ only copies.
func crossRewritten(name string, data []byte) []byte {
	tree := crossPass(name, data, false)
	if tree == nil {
		return nil
	}
	return fileOf(tree)
}

// crossPass loads the tree in data and rewrites it, in place or into a copy. It returns nil for
// schemas without a rewriter.
func crossPass(name string, data []byte, inPlace bool) *flat.Tree {
	limits := flat.LoadLimits{}
	switch first, _, _ := strings.Cut(name, "-"); first {
	case "expr":
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(exprflat.Load(data, limits)), crossExpr)).Flat()
	case "dag":
		b := dagflat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(dagflat.Load(data, limits)), crossDag)).Flat()
	case "every":
		b := everyflat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(everyflat.Load(data, limits)), crossEvery)).Flat()
	case "ast":
		b := astflat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(astflat.Load(data, limits)), crossAst)).Flat()
	case "links":
		b := linksflat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(linksflat.Load(data, limits)), crossLinks)).Flat()
	case "web1", "web2":
		b := web2flat.NewBuilder(flat.BuilderOptions{})
		return must(either(inPlace, b.RewriteInPlace, b.Rewrite)(must(web2flat.Load(data, limits)), crossWeb)).Flat()
	default:
		return nil
	}
}

// either returns a if the condition holds, and b otherwise.
func either[F any](condition bool, a, b F) F {
	if condition {
		return a
	}
	return b
}

// TestRewriteIsTheSameInCpp verifies that Go and C++ rewrite a tree to the same bytes. Trees with
// new strings are compared in canonical form, because the Builders in C++ store equal strings only
// once and may therefore give them different numbers.
func TestRewriteIsTheSameInCpp(t *testing.T) {
	if *cpp == "" {
		t.Skip("it needs -cpp; make cpp runs this test with it")
	}
	files := valid()
	for name, data := range randomFiles() {
		files[name] = data
	}
	dir := t.TempDir()
	for name, data := range files {
		writeVector(t, dir, name, ".flat", data)
	}
	runTool(t, dir)
	compared := 0
	for name, data := range files {
		if want := crossRewritten(name, data); want != nil {
			compared++
			if got := readVector(t, dir, name, ".rewritten"); !bytes.Equal(got, want) {
				t.Errorf("%s: C++ has rewritten it to\n%x, Go to\n%x", name, got, want)
			}
		}
		if strings.HasPrefix(name, "expr") {
			b := exprflat.NewBuilder(flat.BuilderOptions{})
			renamed := must(b.Rewrite(must(exprflat.Load(data, flat.LoadLimits{})), exprflat.Rewriter{
				Var: func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return b.Var(n.Name() + "'") },
			}))
			if want := fileOf(renamed.Compact().Flat()); !bytes.Equal(readVector(t, dir, name, ".renamed"), want) {
				t.Errorf("%s: C++ has renamed it otherwise", name)
			}
		}
	}
	if compared < 80 {
		t.Errorf("%d trees are compared", compared)
	}
}
