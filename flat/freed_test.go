package flat_test

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/links"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// These are the panic messages for a tree that was freed, and for its nodes.
const (
	treeFreed = "the tree was freed"
	nodeFreed = "a node of a tree that was freed"
)

// staleRead returns the message with which an accessor panics if it reads a node of a freed tree.
// An accessor checks only that the node is within the words of the tree, and a freed tree has no
// words. In checked builds, the message states the cause.
func staleRead() string {
	if checks.Enabled {
		return treeFreed
	}
	return "out of range"
}

// A held contains a tree, f(1+x), and values derived from it that a program may still hold when the
// tree is freed.
type held struct {
	tree    exprflat.Tree
	root    exprflat.Expr
	numbers exprflat.Numbering
	table   exprflat.SideTable[int]
	parents exprflat.ParentTable
	strings exprflat.StringNumbers
	results exprflat.Results[int]
	b       *exprflat.Builder // empty
}

func callOfSum(b *exprflat.Builder) exprflat.Expr {
	return b.Call("f", []exprflat.Expr{b.Bin(expr.Add, b.Num(1), b.Var("x"))}, nil)
}

func hold(tree exprflat.Tree) held {
	numbers := tree.Numbers()
	h := held{tree: tree, root: tree.Root(), numbers: numbers, strings: tree.Strings(), b: exprflat.NewBuilder(flat.BuilderOptions{})}
	h.table, h.parents = exprflat.NewSideTable[int](numbers), tree.Parents(numbers)
	exprflat.Fold(tree, func(_ exprflat.Any, done exprflat.Results[int]) int { h.results = done; return 1 })
	return h
}

// editing returns a Builder whose tree was freed during an edit.
func editing() *exprflat.Builder {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(callOfSum(b)))
	b.Edit(tree)
	tree.Free()
	return b
}

// ends contains the ways to free a tree. Each function returns a tree, and a function that frees
// it.
var ends = map[string]func(t *testing.T) (tree exprflat.Tree, end func()){
	"Free": func(*testing.T) (exprflat.Tree, func()) {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree := must(b.Finish(callOfSum(b)))
		return tree, tree.Free
	},
	"Close": func(t *testing.T) (exprflat.Tree, func()) {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree := must(exprflat.Open(saved(t, fileOf(must(b.Finish(callOfSum(b))).Flat())), flat.LoadLimits{}))
		return tree, func() {
			if err := tree.Close(); err != nil {
				t.Error(err)
			}
		}
	},
	"CloneInto": func(*testing.T) (exprflat.Tree, func()) {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree, other := must(b.Finish(callOfSum(b))), must(b.Finish(b.Num(7)))
		return tree, func() { other.CloneInto(tree) }
	},
	"Reuse": func(*testing.T) (exprflat.Tree, func()) {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree := must(b.Finish(callOfSum(b)))
		return tree, func() { b.Reuse(tree); must(b.Finish(callOfSum(b))) }
	},
	"RewriteInPlace": func(*testing.T) (exprflat.Tree, func()) {
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		tree := must(b.Finish(callOfSum(b)))
		return tree, func() { must(b.RewriteInPlace(tree, exprflat.Rewriter{})) }
	},
}

// A freedUse is a call that uses a value of a freed tree. The string says is part of the panic
// message, or empty if the call does not panic.
type freedUse struct {
	do   func(t *testing.T, h held)
	says string
}

// freedUses returns one use of each function and method of a generated package that accepts a tree
// or a value derived from one. TestNodesOfFreedTrees covers the methods of nodes. A call that does
// not read nodes does not panic.
func freedUses() map[string]freedUse {
	return map[string]freedUse{
		"Tree.All":       {func(t *testing.T, h held) { neverYields(t, h.tree.All) }, staleRead()},
		"Tree.Clone":     {func(_ *testing.T, h held) { h.tree.Clone() }, treeFreed},
		"Tree.CloneInto": {func(_ *testing.T, h held) { h.tree.CloneInto(must(h.b.Finish(h.b.Num(1)))) }, treeFreed},
		"Tree.Close":     {func(_ *testing.T, h held) { h.tree.Close() }, ""},
		"Tree.Compact":   {func(_ *testing.T, h held) { h.tree.Compact() }, treeFreed},
		"Tree.Dump":      {func(_ *testing.T, h held) { h.tree.Dump(io.Discard) }, treeFreed},
		"Tree.Flat":      {func(_ *testing.T, h held) { h.tree.Flat() }, ""},
		"Tree.Free":      {func(_ *testing.T, h held) { h.tree.Free() }, ""},
		"Tree.NumBytes":  {func(_ *testing.T, h held) { h.tree.NumBytes() }, ""},
		"Tree.NumNodes":  {func(t *testing.T, h held) { expect(t, float64(h.tree.NumNodes()), 0) }, ""},
		"Tree.NumWords":  {func(t *testing.T, h held) { expect(t, float64(h.tree.NumWords()), 0) }, ""},
		"Tree.Numbers":   {func(_ *testing.T, h held) { h.tree.Numbers() }, treeFreed},
		"Tree.Parents":   {func(_ *testing.T, h held) { h.tree.Parents(h.numbers) }, treeFreed},
		"Tree.Replace":   {func(_ *testing.T, h held) { h.tree.Replace(h.root.AsAny(), exprflat.Any{}) }, treeFreed},
		"Tree.Root":      {func(_ *testing.T, h held) { h.tree.Root() }, treeFreed},
		"Tree.String": {func(t *testing.T, h held) {
			if s := h.tree.String(); s != "nil" {
				t.Errorf("String is %q", s)
			}
		}, ""},
		"Tree.Strings": {func(_ *testing.T, h held) { h.tree.Strings() }, treeFreed},
		"Tree.WriteTo": {func(_ *testing.T, h held) { h.tree.WriteTo(io.Discard) }, treeFreed},

		"CloneInto": {func(_ *testing.T, h held) { must(h.b.Finish(h.b.Num(1))).CloneInto(h.tree) }, ""}, // frees it again
		"Fold": {func(_ *testing.T, h held) {
			exprflat.Fold(h.tree, func(exprflat.Any, exprflat.Results[int]) int { return 1 })
		}, treeFreed},
		"NewSideTable": {func(_ *testing.T, h held) { exprflat.NewSideTable[int](h.numbers) }, ""},
		"ToTree":       {func(_ *testing.T, h held) { must(exprflat.ToTree(h.tree, flat.LoadLimits{})) }, treeFreed},
		"forest.Writer.Add": {func(t *testing.T, h held) {
			w := must(forest.Create[exprflat.Tree](filepath.Join(t.TempDir(), "forest"), forest.Options{}))
			defer w.Close()
			w.Add("tree", h.tree)
		}, treeFreed},

		"Numbering.Len":      {func(t *testing.T, h held) { expect(t, float64(h.numbers.Len()), 4) }, ""},
		"Numbering.Of":       {func(_ *testing.T, h held) { h.numbers.Of(h.root.AsAny()) }, "one that was freed"},
		"SideTable.At":       {func(_ *testing.T, h held) { h.table.At(h.root.AsAny()) }, "one that was freed"},
		"SideTable.Of":       {func(_ *testing.T, h held) { h.table.Of(h.root.AsAny()) }, "one that was freed"},
		"SideTable.Set":      {func(_ *testing.T, h held) { h.table.Set(h.root.AsAny(), 1) }, "one that was freed"},
		"ParentTable.Of":     {func(_ *testing.T, h held) { h.parents.Of(h.root.AsAny()) }, "one that was freed"},
		"StringNumbers.Len":  {func(_ *testing.T, h held) { h.strings.Len() }, ""},
		"StringNumbers.Of":   {func(_ *testing.T, h held) { h.strings.Of("not there") }, treeFreed},
		"StringNumbers.Text": {func(_ *testing.T, h held) { h.strings.Text(1) }, staleRead()},
		"Results.Of":         {func(t *testing.T, h held) { expect(t, float64(h.results.Of(h.root.AsAny())), 1) }, ""},

		"Builder.Bin":            {func(_ *testing.T, h held) { h.b.Bin(expr.Add, h.root, exprflat.Expr{}) }, nodeFreed},
		"Builder.Call":           {func(_ *testing.T, h held) { h.b.Call("f", []exprflat.Expr{h.root}, nil) }, nodeFreed},
		"Builder.Edit":           {func(_ *testing.T, h held) { h.b.Edit(h.tree) }, treeFreed},
		"Builder.Err":            {func(*testing.T, held) { editing().Err() }, ""},
		"Builder.Finish":         {func(_ *testing.T, h held) { h.b.Finish(h.root) }, nodeFreed},
		"Builder.Num":            {func(*testing.T, held) { editing().Num(1) }, "the tree that it edits was freed"},
		"Builder.Reset":          {func(*testing.T, held) { editing().Reset() }, ""},
		"Builder.Reuse":          {func(_ *testing.T, h held) { h.b.Reuse(h.tree) }, ""}, // frees it again
		"Builder.Rewrite":        {func(_ *testing.T, h held) { h.b.Rewrite(h.tree, exprflat.Rewriter{}) }, treeFreed},
		"Builder.RewriteInPlace": {func(_ *testing.T, h held) { h.b.RewriteInPlace(h.tree, exprflat.Rewriter{}) }, treeFreed},
		"Builder.Var":            {func(*testing.T, held) { editing().Var("x") }, "the tree that it edits was freed"},
	}
}

// neverYields runs a loop, and fails the test if the loop yields a node.
func neverYields(t *testing.T, walk func(func(exprflat.Any) bool)) {
	t.Helper()
	for range walk {
		t.Error("the loop yields a node")
	}
}

// Every function that receives a freed tree panics before it reads anything, and says that the tree
// was freed. Loops and accessors are inlined, so they say it only in checked builds.
func TestFreedTrees(t *testing.T) {
	uses := freedUses()
	for name, begin := range ends {
		for what, use := range uses {
			tree, end := begin(t)
			h := hold(tree)
			end()
			if got := panics.Of(func() { use.do(t, h) }); (got == "") != (use.says == "") || !strings.Contains(got, use.says) {
				t.Errorf("%s after %s panics with %q, want %q", what, name, got, use.says)
			}
		}
	}
	for name, of := range map[string]reflect.Type{
		"Tree": reflect.TypeFor[exprflat.Tree](), "Numbering": reflect.TypeFor[exprflat.Numbering](), "SideTable": reflect.TypeFor[exprflat.SideTable[int]](),
		"ParentTable": reflect.TypeFor[exprflat.ParentTable](), "StringNumbers": reflect.TypeFor[exprflat.StringNumbers](),
		"Results": reflect.TypeFor[exprflat.Results[int]](), "Builder": reflect.TypeFor[*exprflat.Builder](),
	} {
		for i := range of.NumMethod() {
			method := name + "." + of.Method(i).Name
			if _, has := uses[method]; !has && method != "Tree.Schema" && method != "Tree.OfForest" { // they depend only on the type
				t.Errorf("no use of a freed tree is in the table for %s", method)
			}
		}
	}
}

// nodesOf adds to the map one value of each type that refers to nodes of a tree: handles, views,
// and the structs inside nodes.
func nodesOf[A interface{ View() V }, V any](to map[reflect.Type]reflect.Value, preorder func(func(A) bool)) {
	add := func(n reflect.Value) {
		if to[n.Type()].IsValid() {
			return
		}
		to[n.Type()] = n
	}
	for n := range preorder {
		add(reflect.ValueOf(n))
		view := reflect.ValueOf(n.View()).Elem()
		add(view)
		for i := range view.NumMethod() {
			m, name := view.Method(i), view.Type().Method(i).Name
			if m.Type().NumIn() > 0 || m.Type().NumOut() != 1 || strings.HasPrefix(name, "As") {
				continue
			}
			if of := m.Type().Out(0); of.Kind() == reflect.Struct && of.PkgPath() == view.Type().PkgPath() {
				if part := m.Call(nil)[0]; !part.FieldByName("node").IsZero() {
					add(part)
				}
			}
		}
	}
}

// readsNothing reports whether a method need not panic for a node of a freed tree, because it reads
// nothing from the tree. Such a method is a conversion, or computes the positions of structs inside
// the node.
func readsNothing(name string, m reflect.Type) bool {
	switch {
	case name == "IsNil" || name == "String" || strings.HasPrefix(name, "As"):
		return true
	case m.NumOut() == 1:
		return isPlace(m.Out(0))
	}
	return m.NumIn() == 1 && m.In(0).Kind() == reflect.Func && isPlace(m.In(0).In(0))
}

// isPlace reports whether its argument is the type of a struct inside a node, or of an array of
// such structs.
func isPlace(of reflect.Type) bool {
	for of.Kind() == reflect.Array {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.Name() == "Any" {
		return false
	}
	_, isNode := of.MethodByName("AsAny")
	return !isNode
}

// zeroOf returns an argument for a method. It is the zero value or, for a function, one that
// returns true, so that a loop continues.
func zeroOf(in reflect.Type) reflect.Value {
	if in.Kind() != reflect.Func {
		return reflect.Zero(in)
	}
	return reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })
}

// The accessors, setters and loops of a node panic after its tree was freed, whatever the type and
// the position of the field.
func TestNodesOfFreedTrees(t *testing.T) {
	const seeds = 20
	nodes, free := map[reflect.Type]reflect.Value{}, make([]func(), 0, 3*seeds)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 5))
		e := must(everyflat.FromTree(random.Tree[every.Node](r, 50, everyVariants), flat.LoadLimits{}))
		l := must(linksflat.FromTree(random.Tree[*links.Scope](r, 20, linkVariants), flat.LoadLimits{}))
		x := must(exprflat.FromTree(random.Tree[expr.Expr](r, 20, []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)}), flat.LoadLimits{}))
		nodesOf[everyflat.Any, everyflat.AnyView](nodes, e.Root().Preorder)
		nodesOf[linksflat.Any, linksflat.AnyView](nodes, l.Root().AsAny().Preorder)
		nodesOf[exprflat.Any, exprflat.AnyView](nodes, x.Root().Preorder)
		if !x.Root().IsNil() {
			nodes[reflect.TypeFor[exprflat.Expr]()] = reflect.ValueOf(x.Root())
		}
		free = append(free, e.Free, l.Free, x.Free)
	}
	for _, f := range free {
		f()
	}
	used := 0
	for of, n := range nodes {
		for i := range n.NumMethod() {
			m, name := n.Method(i), of.Method(i).Name
			args := make([]reflect.Value, m.Type().NumIn())
			for k := range args {
				args[k] = zeroOf(m.Type().In(k))
			}
			said := panics.Of(func() { m.Call(args) })
			if said == "" && readsNothing(name, m.Type()) {
				continue
			}
			used++
			if !strings.Contains(said, "freed") && !strings.Contains(said, staleRead()) {
				t.Errorf("%v.%s of a freed tree: %q, want %q", of, name, said, staleRead())
			}
		}
	}
	if len(nodes) < 25 || used < 200 {
		t.Errorf("%d methods of %d types were called", used, len(nodes))
	}
}
