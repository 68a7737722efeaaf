package flat_test

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// TestWrongKindsDoNotCompile verifies that code that would store a node of a wrong type in a field
// does not compile. In testdata/refused, each line with a comment must be rejected with that error,
// and no other line may be.
func TestWrongKindsDoNotCompile(t *testing.T) {
	out, err := compiler.Go("build", "-gcflags=-e", "-o", os.DevNull, "./testdata/refused").CombinedOutput()
	if err == nil {
		t.Error("it compiles")
	}
	said := map[int]string{}
	line := 0
	for text := range strings.Lines(string(out)) {
		if place := strings.Split(text, ":"); len(place) > 2 && strings.HasSuffix(place[0], "main.go") {
			line, _ = strconv.Atoi(place[1])
		}
		said[line] += text
	}
	delete(said, 0) // the line with the package name
	source := must(os.ReadFile("testdata/refused/main.go"))
	for i, text := range strings.Split(string(source), "\n") {
		if _, want, _ := strings.Cut(text, `// want "`); want != "" {
			if want = strings.TrimSuffix(want, `"`); !strings.Contains(said[i+1], want) {
				t.Errorf("line %d:%s\nwant %q; the compiler says %q", i+1, text, want, said[i+1])
			}
			delete(said, i+1)
		}
	}
	if len(said) > 0 {
		t.Errorf("the compiler says also %v", said)
	}
}

// Every handle and every view must consist of exactly one flatimpl.Node, because the generated
// switches rely on it.
func TestViewsAreHandles(t *testing.T) {
	want := reflect.TypeFor[flatimpl.Node]()
	for _, of := range []reflect.Type{
		reflect.TypeFor[exprflat.Any](), reflect.TypeFor[exprflat.Expr](), reflect.TypeFor[exprflat.Call](),
		reflect.TypeFor[everyflat.Leaf](), reflect.TypeFor[everyflat.Lists](), reflect.TypeFor[everyflat.Pair](),
	} {
		field, ok := of.FieldByName("node")
		if !ok || field.Type != want || field.Offset != 0 || of.Size() != want.Size() || of.Align() != want.Align() {
			t.Errorf("%v has %d bytes and a node %+v", of, of.Size(), field)
		}
	}
}

// A view must not change when the variable that it was made from is set to another node.
func TestViewsAreCopies(t *testing.T) {
	tree, times, plus, call := three()
	e := times.L()
	view := e.View()
	bin := view.(*exprflat.Bin)
	e = times.R()
	if *bin != plus || e != call.AsExpr() {
		t.Errorf("the view of %v is %v now", plus, bin)
	}
	bin.SetOp(expr.Div)
	if _, err := exprflat.Load(fileOf(tree.Flat()), flat.LoadLimits{}); err != nil || call.Fn() != "f" {
		t.Errorf("%v: %v", call, err)
	}
	if one, ok := tree.Root().AsBin().L().View().(*exprflat.Bin); !ok || one.Op() != expr.Div {
		t.Error("what a call returns has no view")
	}
}

// A node can be converted to every sum that it belongs to, and from there to every type that
// matches its kind. Nil can be converted to any type.
func TestConversions(t *testing.T) {
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	null, value := b.Null(), b.Value(everyflat.Leaf{})
	for _, n := range []everyflat.Any{null.AsAny(), null.AsNull().AsAny(), null.AsLeaf().AsAny(), null.AsNull().AsLeaf().AsAny(),
		null.AsLeaf().AsNode().AsAny(), null.AsAny().AsLeaf().AsAny(), null.AsAny().AsNode().AsAny(), null.AsNull().AsNode().AsAny()} {
		if n != null.AsAny() || n.Kind() != everyflat.KindNull {
			t.Errorf("%v, want %v", n, null)
		}
	}
	var none everyflat.Node
	if !none.AsLeaf().AsAny().AsNode().AsNull().AsLeaf().IsNil() {
		t.Error("nil has become something")
	}
	const want = "want nil or one of Null, Scalars, Interned; found Value #"
	mustPanic(t, "everyflat.Node.AsLeaf: "+want, func() { value.AsLeaf() })
	mustPanic(t, "everyflat.Any.AsLeaf: "+want, func() { value.AsAny().AsLeaf() })
	mustPanic(t, "everyflat.AsNull: want nil or a Null; use Kind first; found Value #", func() { value.AsNull() })
	mustPanic(t, "everyflat.AsNull: want nil or a Null; use Kind first; found Value #", func() { value.AsAny().AsNull() })
}

// A method that panics must leave no trace in the tree: neither an unfinished record nor a child
// that is marked as having a parent.
func TestAPanicLeavesNoTrace(t *testing.T) {
	b, other := exprflat.NewBuilder(flat.BuilderOptions{}), exprflat.NewBuilder(flat.BuilderOptions{})
	junk := b.Num(1)
	for range 20 {
		junk = b.Call("garbage", []exprflat.Expr{junk, b.Var("old")}, nil)
	}
	b.Reset() // the words now contain garbage
	build := func(wrong func(l, r exprflat.Expr)) string {
		l, r := b.Num(1), b.Var("x")
		wrong(l, r)
		return string(fileOf(must(b.Finish(b.Bin(expr.Add, l, r))).Flat()))
	}
	want := build(func(l, r exprflat.Expr) {})
	stranger := other.Num(7)
	for name, wrong := range map[string]func(l, r exprflat.Expr){
		"a stranger":    func(l, r exprflat.Expr) { b.Bin(expr.Sub, l, stranger) },
		"twice":         func(l, r exprflat.Expr) { b.Bin(expr.Sub, l, l) },
		"in a list":     func(l, r exprflat.Expr) { b.Call("", []exprflat.Expr{r, l, stranger}, nil) },
		"first of list": func(l, r exprflat.Expr) { b.Call("", []exprflat.Expr{stranger, l, r}, nil) },
	} {
		got := build(func(l, r exprflat.Expr) {
			for range 3 {
				mustPanic(t, "exprflat.Builder.", func() { wrong(l, r) })
			}
		})
		if got != want {
			t.Errorf("%s: the tree is\n%q, want\n%q", name, got, want)
		}
	}
	d, a := dagflat.NewBuilder(flat.BuilderOptions{}), dagflat.NewBuilder(flat.BuilderOptions{})
	atom := d.Atom("a")
	mustPanic(t, "dagflat.Builder.Pair: ", func() { d.Pair(atom, a.Atom("b")) })
	if tree := must(d.Finish(atom)); tree.NumNodes() != 1 || tree.NumWords() != 3 {
		t.Errorf("the tree has %d nodes", tree.NumNodes())
	}
}

// Records of methods that panicked must not use up the limit of a tree.
func TestAPanicCostsNoRoom(t *testing.T) {
	const limit = 4 * (3 + 3)
	b, other := exprflat.NewBuilder(flat.BuilderOptions{MaxBytes: limit}), exprflat.NewBuilder(flat.BuilderOptions{})
	num, stranger := b.Num(1), other.Num(2)
	for range 10 {
		mustPanic(t, "of another tree", func() { b.Bin(expr.Add, num, stranger) })
	}
	if tree := must(b.Finish(b.Bin(expr.Add, num, exprflat.Expr{}))); tree.NumNodes() != 2 {
		t.Errorf("the tree is %v", tree)
	}
}

// A list with more items than a 32-bit count can express must exceed the size of a tree, however
// small the items are.
func TestListsWithMoreItemsThanCountsCanSay(t *testing.T) {
	most := uint64(1<<32 - 1)
	if uint64(int(most)) != most || int(most) < 0 {
		t.Skip("no slice is as long here")
	}
	if got := flatimpl.ListWords(int(most), 8); got != 1<<30 {
		t.Errorf("%d items of 8 bits take %d words", most, got)
	}
	for _, bits := range []int{8, 16} {
		if got := flatimpl.ListWords(int(most+1), bits); uint64(got) <= most {
			t.Errorf("%d items of %d bits take %d words, as if a tree could hold them", most+1, bits, got)
		}
	}
}

// The kinds of nodes are also checked at run time, in case code circumvents the types or the
// generated code is wrong.
func TestKindsAreLookedAtBehindTheTypes(t *testing.T) {
	schema := flatimpl.NewSchema(flatimpl.Generation5("testflat"), "flat 1\nroot Box\nsum Box A\nrecord A\n Of &Box\nrecord B\n")
	b := schema.NewBuilder(flatimpl.BuilderOptions{})
	add := func(kind uint32, child flatimpl.Node, kinds *flatimpl.Kinds) flatimpl.Node {
		n, w := b.Add(3 - int(kind))
		w[0] = kind
		if kind == 1 {
			w[1] = b.RefOf(child, kinds)
		}
		b.Done()
		return n
	}
	box := &flatimpl.Kinds{1 << 1}
	wrong := add(2, flatimpl.Node{}, nil)
	mustPanic(t, "testflat.Builder.A: want nil or one of A as a child, returned by this Builder since it began the tree; found B #1", func() { add(1, wrong, box) })
	right := add(1, flatimpl.Node{}, box)
	mustPanic(t, "testflat.A.SetOf: want nil or one of A of this tree that comes before its parent; found B #1", func() { right.SetRef(1, wrong, box, "A.SetOf") })
	mustPanic(t, "testflat.Builder.Finish: want nil or one of A as the root, returned by this Builder", func() { b.Finish(wrong) })
	tree := must(b.Finish(right))
	if _, err := schema.Load(fileOf((*flat.Tree)(tree)), flatimpl.LoadLimits{}); err != nil || tree.NumNodes() != 2 {
		t.Errorf("%v: %v", tree, err)
	}
}
