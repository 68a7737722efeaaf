package flat_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// TestStringNumbersAgainstModel verifies that two strings have the same number if and only if they
// are equal, whether they come from a builder, a setter, or a file that contains duplicates.
func TestStringNumbersAgainstModel(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "b", "ab", "\x00", "a\x00", "longer than a register", "é"})
	random.Check(t, func(t *rapid.T) {
		b := everyflat.NewBuilder(flat.BuilderOptions{})
		var nodes []everyflat.Node
		for range rapid.IntRange(1, 20).Draw(t, "nodes") {
			if rapid.Bool().Draw(t, "not interned") {
				b.Lists(everyflat.ListsFields{Strings: []string{word.Draw(t, "text")}})
			}
			nodes = append(nodes, b.Interned(word.Draw(t, "s"), []byte(word.Draw(t, "t")), []string{word.Draw(t, "item")}, [2]string{word.Draw(t, "twice")}))
		}
		tree := must(b.Finish(nodes[0]))
		for range rapid.IntRange(0, 3).Draw(t, "setters") {
			n := rapid.SampledFrom(nodes).Draw(t, "node").AsInterned()
			n.SetS(word.Draw(t, "new s"))
			n.SetT([]byte(word.Draw(t, "new t")))
		}
		switch rapid.IntRange(0, 3).Draw(t, "then") {
		case 0:
			tree = must(everyflat.Load(fileOf(tree.Flat()), flat.LoadLimits{}))
		case 1:
			tree = tree.Clone()
		}
		checkStrings(t, tree)
	})
}

func checkStrings(t *rapid.T, tree everyflat.Tree) {
	strings, known := tree.Strings(), map[string]int{"": 0}
	see := func(text string, number int) {
		if want, met := known[text]; met && number != want {
			t.Fatalf("%q has numbers %d and %d", text, number, want)
		}
		known[text] = number
		if strings.Text(number) != text || number < 0 || number >= strings.Len() {
			t.Fatalf("number %d of %d is %q, want %q", number, strings.Len(), strings.Text(number), text)
		}
	}
	for n := range tree.All {
		if n.Kind() == everyflat.KindInterned {
			n := n.AsInterned()
			see(n.S(), n.SNumber(strings))
			see(n.T(), n.TNumber(strings))
			see(n.ListAt(0), n.ListAtNumber(0, strings))
			see(n.TwiceAt(0), n.TwiceAtNumber(0, strings))
			see(n.TwiceAt(1), n.TwiceAtNumber(1, strings))
		}
	}
	for text, number := range known {
		if got, ok := strings.Of(text); got != number || !ok {
			t.Fatalf("%q is %d, %v, want %d", text, got, ok, number)
		}
	}
	if got, ok := strings.Of("nobody has this"); ok {
		t.Fatalf("an unknown string has number %d", got)
	}
}

// Copies and rewriting passes must keep string numbers, so that a slice indexed by number stays
// valid from pass to pass.
func TestStringNumbersStay(t *testing.T) {
	tree := buildFlat(smallDepth)
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	passed := must(b.Rewrite(tree, exprflat.Rewriter{Num: func(b *exprflat.Builder, n exprflat.Num) exprflat.Expr { return b.Var("new") }}))
	old := tree.Strings()
	for name, copied := range map[string]exprflat.Tree{"a clone": tree.Clone(), "a pass": passed, "a file": must(exprflat.Load(fileOf(tree.Flat()), flat.LoadLimits{}))} {
		now := copied.Strings()
		for _, text := range names {
			want, had := old.Of(text)
			if got, ok := now.Of(text); got != want || ok != had {
				t.Errorf("%s: %q is %d, %v, was %d, %v", name, text, got, ok, want, had)
			}
		}
	}
	if number, ok := passed.Strings().Of("new"); !ok || number < old.Len() {
		t.Errorf("the new string has number %d", number)
	}
	for _, other := range []exprflat.Tree{passed, tree.Clone()} { // passed has more, the clone as many
		mustPanic(t, "the strings of another tree", func() {
			for n := range other.All {
				if n.Kind() == exprflat.KindVar {
					n.AsVar().NameNumber(old)
				}
			}
		})
	}
}

// A number without a string must panic and never return another string.
func TestStringNumbersRefuse(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.Var("x")))
	strings := tree.Strings()
	for _, number := range []int{-1, strings.Len(), 1 << 30} {
		mustPanic(t, "no string has that number", func() { fmt.Println(strings.Text(number)) })
	}
	tree.Root().AsVar().SetName("y")
	mustPanic(t, "a string that was set later; call Strings again", func() { tree.Root().AsVar().NameNumber(strings) })
	if number, ok := strings.Of("x"); number != 1 || !ok {
		t.Errorf("x is %d, %v", number, ok)
	}
	tree.Free()
	mustPanic(t, "", func() { tree.Strings() })
	empty := must(b.Finish(exprflat.Expr{})).Strings()
	if number, ok := empty.Of("x"); ok {
		t.Errorf("in an empty tree x is %d", number)
	}
	if number, ok := empty.Of(""); number != 0 || !ok || empty.Text(0) != "" {
		t.Errorf("in an empty tree the empty string is %d, %v", number, ok)
	}
}

// A rewriting pass must keep string numbers even if an edit has put children after their parents.
func TestStringNumbersStayInEditedTrees(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree := must(b.Finish(b.Bin(0, b.Var("x"), b.Bin(0, b.Var("y"), b.Var("z")))))
	b.Edit(tree)
	tree.Root().AsBin().SetL(b.Var("new"))
	tree = must(b.Finish(tree.Root()))
	old := tree.Strings()
	passed := must(b.Rewrite(tree, exprflat.Rewriter{Num: func(*exprflat.Builder, exprflat.Num) exprflat.Expr { return exprflat.Expr{} }}))
	for _, text := range []string{"x", "y", "z", "new"} {
		want, _ := old.Of(text)
		if got, ok := passed.Strings().Of(text); !ok || got != want {
			t.Errorf("%q is %d, was %d", text, got, want)
		}
	}
	if len(forward(passed.Flat())) > 0 || passed.NumNodes() != 5 {
		t.Error(passed)
	}
	mustLoad(t, exprflat.Load, passed.Flat())
	tree.Root().AsBin().L().AsVar().SetName("later") // the copy does not see it
	passed.Root().AsBin().L().AsVar().SetName("other")
	if tree.Root().AsBin().L().AsVar().Name() != "later" || passed.Root().AsBin().L().AsVar().Name() != "other" {
		t.Errorf("%v and %v", tree, passed)
	}
}
