package flat_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dag"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
)

// pairs returns a tree with an atom and n pairs, each of which contains the previous one twice. A
// walk of the tree visits 2^(n+1)-1 nodes.
func pairs(n int) dagflat.Tree {
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	e := b.Atom("a")
	for range n {
		e = b.Pair(e, e)
	}
	return must(b.Finish(e))
}

// TestConversionsKeepIdentity verifies that ToTree converts a shared record to one value, which all
// references share, and that FromTree converts this value to one record again.
func TestConversionsKeepIdentity(t *testing.T) {
	tree := pairs(60)
	term, err := dagflat.ToTree(tree, flat.LoadLimits{MaxNodes: 61})
	if err != nil {
		t.Fatal(err)
	}
	levels := 0
	for {
		pair, is := term.(*dag.Pair)
		if !is {
			break
		}
		if pair.A != pair.B {
			t.Fatalf("at level %d one record has become two values", levels)
		}
		term, levels = pair.A, levels+1
	}
	if levels != 60 {
		t.Errorf("%d levels", levels)
	}
	term = must(dagflat.ToTree(tree, flat.LoadLimits{}))
	again, err := dagflat.FromTree(term, flat.LoadLimits{MaxNodes: 61})
	if err != nil || again.NumNodes() != 61 {
		t.Fatalf("%v, %v", again, err)
	}
	if string(fileOf(again.Compact().Flat())) != string(fileOf(tree.Compact().Flat())) {
		t.Error("there and back it is another tree")
	}
	if _, err := dagflat.ToTree(tree, flat.LoadLimits{MaxNodes: 60}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("61 records, at most 60: %v", err)
	}
	if _, err := dagflat.FromTree(term, flat.LoadLimits{MaxNodes: 60}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("61 values, at most 60: %v", err)
	}
}

// randomDag returns a random graph in which nodes may have several parents.
func randomDag(r *rand.Rand, nodes int) dag.Term {
	made := []dag.Term{nil, &dag.Atom{Name: "a"}}
	any := func() dag.Term { return made[r.IntN(len(made))] }
	for range nodes {
		switch r.IntN(3) {
		case 0:
			made = append(made, &dag.Atom{Name: "b"})
		case 1:
			made = append(made, &dag.Pair{A: any(), B: any()})
		default:
			l := &dag.List{}
			for range r.IntN(4) {
				l.Items = append(l.Items, any())
			}
			made = append(made, l)
		}
	}
	return made[len(made)-1]
}

// shape writes a string that is equal for two graphs if and only if they have the same structure
// and share the same nodes.
func shape(term dag.Term, seen map[dag.Term]int, b *strings.Builder) {
	if n, met := seen[term]; met {
		b.WriteByte('#')
		b.WriteString(strings.Repeat("i", n))
		return
	}
	seen[term] = len(seen)
	switch term := term.(type) {
	case *dag.Atom:
		b.WriteString(term.Name)
	case *dag.Pair:
		b.WriteByte('(')
		shape(term.A, seen, b)
		shape(term.B, seen, b)
		b.WriteByte(')')
	case *dag.List:
		b.WriteByte('[')
		for _, item := range term.Items {
			shape(item, seen, b)
		}
		b.WriteByte(']')
	}
}

func TestRandomGraphsKeepTheirShape(t *testing.T) {
	for seed := range uint64(200) {
		term := randomDag(rand.New(rand.NewPCG(seed, 5)), int(seed)%40)
		tree := must(dagflat.FromTree(term, flat.LoadLimits{}))
		tree = must(dagflat.Load(fileOf(tree.Compact().Flat()), flat.LoadLimits{MaxWalk: math.MaxInt}))
		back := must(dagflat.ToTree(tree, flat.LoadLimits{}))
		var want, got strings.Builder
		shape(term, map[dag.Term]int{}, &want)
		shape(back, map[dag.Term]int{}, &got)
		if got.String() != want.String() {
			t.Fatalf("graph %d is %s, was %s", seed, got.String(), want.String())
		}
	}
}

// TestDepthOfSharedNodesIsBounded verifies that MaxDepth limits the longest path, even if a node is
// reached a second time at a greater depth.
func TestDepthOfSharedNodesIsBounded(t *testing.T) {
	low := dag.Term(&dag.Atom{})
	for range 5 {
		low = &dag.List{Items: []dag.Term{low}}
	}
	high := low
	for range 4 {
		high = &dag.Pair{A: high}
	}
	root := &dag.Pair{A: low, B: high} // low is at levels 2 and 6; the longest path has 11 levels
	for depth, ok := range map[int]bool{10: false, 11: true} {
		limits := flat.LoadLimits{MaxDepth: depth}
		tree, err := dagflat.FromTree(root, limits)
		if (err == nil) != ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("FromTree, at most %d levels: %v", depth, err)
		}
		if err != nil {
			tree = must(dagflat.FromTree(root, flat.LoadLimits{}))
		}
		if _, err := dagflat.ToTree(tree, limits); (err == nil) != ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("ToTree, at most %d levels: %v", depth, err)
		}
		if _, err := dagflat.Load(fileOf(tree.Flat()), limits); (err == nil) != ok {
			t.Errorf("Load, at most %d levels: %v", depth, err)
		}
	}
}

func TestCycleOfSharedPointersIsNamed(t *testing.T) {
	loop := &dag.Pair{A: &dag.Atom{}}
	loop.B = &dag.List{Items: []dag.Term{nil, loop}}
	_, err := dagflat.FromTree(loop, flat.LoadLimits{})
	if !errors.Is(err, flat.ErrLimit) || !strings.Contains(err.Error(), "a *dag.Pair is its own ancestor") {
		t.Errorf("a cycle: %v", err)
	}
}

// TestWalksOfSharedNodesAreBounded verifies that LoadLimits.MaxWalk, or its default, rejects a
// small file that would be expensive to traverse.
func TestWalksOfSharedNodesAreBounded(t *testing.T) {
	for n, ok := range map[int]bool{10: true, 21: true, 22: false, 40: false, 100: false} {
		data := fileOf(pairs(n).Flat())
		if _, err := dagflat.Load(data, flat.LoadLimits{}); (err == nil) != ok ||
			err != nil && (!errors.Is(err, flat.ErrLimit) || !strings.Contains(err.Error(), "LoadLimits.MaxWalk")) {
			t.Errorf("%d pairs: %v", n, err)
		}
		if tree, err := dagflat.Load(data, flat.LoadLimits{MaxWalk: math.MaxInt}); err != nil || tree.NumNodes() != n+1 {
			t.Errorf("%d pairs, any walk: %v", n, err)
		}
	}
	data := fileOf(pairs(10).Flat())
	for most, ok := range map[int]bool{2046: false, 2047: true} {
		if _, err := dagflat.Load(data, flat.LoadLimits{MaxWalk: most}); (err == nil) != ok {
			t.Errorf("a walk of 2047, at most %d: %v", most, err)
		}
	}
	if _, err := dagflat.Load(data, flat.LoadLimits{MaxNodes: 11}); err != nil {
		t.Errorf("11 records, at most 11: %v", err)
	}
	mustPanic(t, "dagflat.Load: a limit is negative", func() { dagflat.Load(data, flat.LoadLimits{MaxWalk: -1}) })
}

// TestSharedNodesCostOnce verifies that the library's operations on a tree with 2^1000 paths take
// time in proportion to the number of records.
func TestSharedNodesCostOnce(t *testing.T) {
	tree := pairs(1000)
	data := fileOf(tree.Flat())
	tree = must(dagflat.Load(data, flat.LoadLimits{MaxWalk: math.MaxInt}))
	met := 0
	for range tree.All {
		met++
	}
	height := dagflat.Fold(tree, func(n dagflat.Any, done dagflat.Results[int]) int {
		if n.Kind() != dagflat.KindPair {
			return 1
		}
		return 1 + max(done.Of(n.AsPair().A().AsAny()), done.Of(n.AsPair().B().AsAny()))
	})
	var dump strings.Builder
	if err := tree.Dump(&dump); err != nil {
		t.Error(err)
	}
	text := tree.String()
	if met != 1001 || height != 1001 || tree.Compact().NumNodes() != 1001 || tree.Clone().NumNodes() != 1001 || len(text) > 100_000 || dump.Len() > 100_000 {
		t.Errorf("%d nodes, %d levels, text of %d, dump of %d bytes", met, height, len(text), dump.Len())
	}
	term := must(dagflat.ToTree(tree, flat.LoadLimits{}))
	if again := must(dagflat.FromTree(term, flat.LoadLimits{})); again.NumNodes() != 1001 {
		t.Errorf("%d nodes come back", again.NumNodes())
	}
}

// FuzzReadShared verifies that Read either rejects a stream or returns a tree, which must remain
// the same graph when it is converted in both directions.
func FuzzReadShared(f *testing.F) {
	f.Add(valid()["dag-dag"])
	f.Add(fileOf(pairs(30).Flat()))
	f.Add(append(fileOf(pairs(3).Flat()), "more"...))
	for seed := range uint64(5) {
		term := randomDag(rand.New(rand.NewPCG(seed, 6)), 20)
		f.Add(fileOf(must(dagflat.FromTree(term, flat.LoadLimits{})).Flat()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		stream := bytes.NewReader(data)
		tree, err := dagflat.Read(stream, flat.LoadLimits{MaxWalk: math.MaxInt})
		size := len(data) - stream.Len()
		if _, other := dagflat.Load(data[:size], flat.LoadLimits{MaxWalk: math.MaxInt}); err == nil && other != nil {
			t.Fatalf("Read takes %d bytes, and Load says %v", size, other)
		}
		if err != nil {
			if !errors.Is(err, flat.ErrInvalid) && !errors.Is(err, flat.ErrLimit) {
				t.Fatalf("refused with another error: %v", err)
			}
			return
		}
		if err := walkFlat(tree.Flat()); err != nil {
			t.Fatal(err)
		}
		back := must(dagflat.FromTree(must(dagflat.ToTree(tree, flat.LoadLimits{})), flat.LoadLimits{}))
		if got, want := fileOf(back.Compact().Flat()), fileOf(tree.Compact().Flat()); !bytes.Equal(got, want) {
			t.Fatalf("there and back it is another graph: %v, was %v", back, tree)
		}
	})
}
