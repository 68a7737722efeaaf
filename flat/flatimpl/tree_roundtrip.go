package flatimpl

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/coppice-go/coppice/flat/internal/random"
)

// A RoundTripper contains the functions of a generated package that RoundTrip tests. R is the type
// of the root, T is the type Tree of the package, and L is flat.LoadLimits.
type RoundTripper[R any, T RoundTripTree[T], L any] struct {
	Variants []any // a nil pointer to each variant of the schema
	FromTree func(R, L) (T, error)
	ToTree   func(T, L) (R, error)
	Load     func([]byte, L) (T, error)
	Walks    func(t T, most int) Walks
}

// Walks contains the nodes that the generated traversals of a tree have yielded. A traversal may
// have been stopped early.
type Walks struct {
	Tree                     *Tree
	All, Preorder, Postorder []Node
}

// A RoundTripTree is the set of methods of a generated Tree that RoundTrip calls.
type RoundTripTree[T any] interface {
	Clone() T
	Compact() T
	NumNodes() int
	NumBytes() int64
	WriteTo(io.Writer) (int64, error)
}

// A Test is the set of methods of *testing.T that RoundTrip calls.
type Test interface {
	Helper()
	Fatalf(format string, args ...any)
}

// roundTrips is the number of random trees in a test.
const roundTrips = 200

// RoundTrip tests a generated package. It creates random trees of pointers, which are the same in
// each run. It converts, writes, loads, clones and compacts each of them, and checks that each
// result can be converted back to an equal tree of pointers.
func RoundTrip[R any, T RoundTripTree[T], L any](t Test, p RoundTripper[R, T, L]) {
	t.Helper()
	for seed := range uint64(roundTrips) {
		want := random.Tree[R](rand.New(rand.NewPCG(seed, 1)), int(seed)%50, p.Variants)
		if err := p.check(want); err != nil {
			t.Fatalf("tree %d: %v", seed, err)
		}
	}
}

// check tests all representations of the tree want, and the generated traversals.
func (p RoundTripper[R, T, L]) check(want R) error {
	var limits L
	tree, err := p.FromTree(want, limits)
	if err != nil {
		return fmt.Errorf("in FromTree: %w", err)
	}
	written, err := writtenFile(tree)
	if err != nil {
		return err
	}
	loaded, err := p.Load(written, limits)
	if err != nil {
		return fmt.Errorf("loading what WriteTo wrote: %w", err)
	}
	again, err := writtenFile(loaded)
	if err != nil || !bytes.Equal(written, again) {
		return fmt.Errorf("a loaded tree is written as other bytes (%v)", err)
	}
	for _, most := range []int{0, 1, tree.NumNodes()/2 + 1} {
		if err := p.Walks(loaded, most).check(most); err != nil {
			return err
		}
	}
	compact := loaded.Compact()
	canonical, err := writtenFile(compact)
	if err != nil {
		return err
	}
	if twice, err := writtenFile(compact.Compact()); err != nil || !bytes.Equal(canonical, twice) {
		return fmt.Errorf("a compact tree changes in Compact (%v)", err)
	}
	if _, err := p.Load(canonical, limits); err != nil {
		return fmt.Errorf("loading a compact tree: %w", err)
	}
	for _, form := range []struct {
		name string
		tree T
	}{{"the built", tree}, {"the loaded", loaded}, {"the compact", compact}, {"the cloned", tree.Clone()}} {
		got, err := p.ToTree(form.tree, limits)
		if err != nil {
			return fmt.Errorf("in ToTree of %s: %w", form.name, err)
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s tree differs from the pointers that it was made from", form.name)
		}
	}
	return nil
}

// check compares the generated traversals with traversals that use the tables of the schema. If the
// parameter most is not 0, the loops were ended after that number of nodes.
func (w Walks) check(most int) error {
	t := w.Tree
	var all, pre, post []Node
	for i := uint32(1); uint64(i) < uint64(len(t.words)); i += t.size(i) {
		all = append(all, Node{t, i})
	}
	var visit func(n Node)
	visit = func(n Node) {
		pre = append(pre, n)
		for _, i := range n.children(nil) {
			visit(Node{t, i})
		}
		post = append(post, n)
	}
	if root := t.Root(); root.index != 0 {
		visit(root)
	}
	for _, one := range []struct {
		name      string
		got, want []Node
	}{{"All", w.All, all}, {"Preorder", w.Preorder, pre}, {"Postorder", w.Postorder, post}} {
		if most > 0 && most < len(one.want) {
			one.want = one.want[:most]
		}
		if !slices.Equal(one.got, one.want) {
			return fmt.Errorf("%s yields %d nodes, or others than the %d of the schema's tables", one.name, len(one.got), len(one.want))
		}
	}
	return w.checkTables(all)
}

// checkTables compares the results of Number and Parents with numbers and parents that it computes
// from the schema's tables. The parameter all contains the records in buffer order.
func (w Walks) checkTables(all []Node) error {
	x := w.Tree.Number()
	parents, want := w.Tree.Parents(x), map[Node]Node{}
	for i, n := range all {
		if got := x.Of(n); got != i || x.Len() != len(all) {
			return fmt.Errorf("node %d of %d has number %d of %d", i, len(all), got, x.Len())
		}
		for _, child := range n.children(nil) {
			if child := n.At(child); want[child].index == 0 {
				want[child] = n
			}
		}
	}
	for _, n := range all {
		if parents.Of(n) != want[n] {
			return fmt.Errorf("%s has another parent", n.describe())
		}
	}
	return nil
}

func writtenFile[T RoundTripTree[T]](tree T) ([]byte, error) {
	var b bytes.Buffer
	n, err := tree.WriteTo(&b)
	if err == nil && (n != int64(b.Len()) || n != tree.NumBytes()) {
		err = fmt.Errorf("WriteTo returned %d and wrote %d bytes, and NumBytes is %d", n, b.Len(), tree.NumBytes())
	}
	return b.Bytes(), err
}
