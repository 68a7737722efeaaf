package flat_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dag"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// modelDag rewrites a graph of pointers in the same way as crossDag. It rewrites each node once.
func modelDag(term dag.Term, done map[dag.Term]dag.Term) dag.Term {
	if made, met := done[term]; met || term == nil {
		return made
	}
	var made dag.Term
	switch term := term.(type) {
	case *dag.Atom:
		made = term
	case *dag.Pair:
		made = &dag.Pair{A: modelDag(term.B, done), B: modelDag(term.A, done)}
	case *dag.List:
		for i, item := range term.Items {
			if item = modelDag(item, done); i == 0 {
				made = &dag.Pair{A: item, B: item}
			}
		}
	}
	done[term] = made
	return made
}

// TestRewriteKeepsSharing verifies that Rewrite visits a shared node once, and that the node is
// still shared in the result.
func TestRewriteKeepsSharing(t *testing.T) {
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	for seed := range uint64(400) {
		term := randomDag(rand.New(rand.NewPCG(seed, 11)), int(seed)%40)
		tree := must(dagflat.FromTree(term, flat.LoadLimits{}))
		calls := 0
		count := crossDag
		count.Atom = func(_ *dagflat.Builder, n dagflat.Atom) dagflat.Term { calls++; return n.AsTerm() }
		next := must(b.Rewrite(tree, count))
		atoms := 0
		for n := range tree.All {
			if n.Kind() == dagflat.KindAtom {
				atoms++
			}
		}
		if calls != atoms {
			t.Errorf("graph %d: %d atoms are visited %d times", seed, atoms, calls)
		}
		var want, got strings.Builder
		shape(modelDag(term, map[dag.Term]dag.Term{}), map[dag.Term]int{}, &want)
		shape(must(dagflat.ToTree(next, flat.LoadLimits{})), map[dag.Term]int{}, &got)
		if got.String() != want.String() {
			t.Fatalf("graph %d is %s, want %s", seed, got.String(), want.String())
		}
		b.Reuse(next)
	}
}

// TestRewriteSharesWhatItMakes verifies that a function of a Rewriter may return the same new node
// for several nodes of a graph.
func TestRewriteSharesWhatItMakes(t *testing.T) {
	var one dagflat.Term
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	tree := must(dagflat.FromTree(&dag.List{Items: []dag.Term{&dag.Atom{Name: "a"}, &dag.Atom{Name: "b"}, &dag.Atom{Name: "c"}}}, flat.LoadLimits{}))
	next := must(b.Rewrite(tree, dagflat.Rewriter{Atom: func(b *dagflat.Builder, _ dagflat.Atom) dagflat.Term {
		if one.IsNil() {
			one = b.Atom("one")
		}
		return one
	}}))
	if got := next.String(); next.NumNodes() != 2 || strings.Count(got, "one") != 3 {
		t.Errorf("%d nodes: %s", next.NumNodes(), got)
	}
}

// TestRewriteByManyGoroutines verifies that several goroutines may rewrite the same tree
// concurrently if each has its own Builder.
func TestRewriteByManyGoroutines(t *testing.T) {
	tree := must(dagflat.FromTree(randomDag(rand.New(rand.NewPCG(1, 11)), 200), flat.LoadLimits{}))
	results := make([]string, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			b := dagflat.NewBuilder(flat.BuilderOptions{})
			for range 20 {
				next := must(b.Rewrite(tree, dagflat.Rewriter{
					Atom: func(b *dagflat.Builder, n dagflat.Atom) dagflat.Term { return b.Atom(n.Name() + "'") },
					Pair: crossDag.Pair,
				}))
				results[i] = string(fileOf(next.Flat()))
				b.Reuse(next)
			}
		})
	}
	all.Wait()
	for i, got := range results {
		if got != results[0] {
			t.Errorf("goroutine %d has another tree", i)
		}
	}
}

var everyVariants = []any{(*every.Null)(nil), (*every.Scalars)(nil), (*every.Named)(nil), (*every.Optional)(nil),
	(*every.Interned)(nil), (*every.Links)(nil), (*every.Lists)(nil), (*every.Arrays)(nil), (*every.Inline)(nil), (*every.Full)(nil),
	(*every.Value)(nil), (*every.Words)(nil)}

// TestRewriteMovesEveryReference verifies that Rewrite adjusts all references in a record when
// nodes move.
func TestRewriteMovesEveryReference(t *testing.T) {
	b := everyflat.NewBuilder(flat.BuilderOptions{})
	for seed := range uint64(300) {
		node := random.Tree[every.Node](rand.New(rand.NewPCG(seed, 13)), int(seed), everyVariants)
		tree := must(everyflat.FromTree(node, flat.LoadLimits{}))
		// The functions insert unused nodes in front of the others. So every node moves, but the
		// file is the same.
		moved := must(b.Rewrite(tree, everyflat.Rewriter{
			Null:     func(b *everyflat.Builder, n everyflat.Null) everyflat.Any { b.Null(); return n.AsAny() },
			Interned: func(b *everyflat.Builder, n everyflat.Interned) everyflat.Any { b.Null(); return n.AsAny() },
			Scalars: func(b *everyflat.Builder, n everyflat.Scalars) everyflat.Any {
				b.Null()
				b.Null()
				return n.AsAny()
			},
		}))
		if string(fileOf(moved.Flat())) != string(fileOf(tree.Flat())) {
			t.Fatalf("tree %d: %v became %v", seed, tree, moved)
		}
		next := must(b.Rewrite(tree, crossEvery))
		if _, err := everyflat.Load(fileOf(next.Flat()), flat.LoadLimits{}); err != nil {
			t.Fatalf("tree %d: %v", seed, err)
		}
		for n := range next.All {
			if n.Kind() == everyflat.KindInterned || n.Kind() == everyflat.KindScalars && n.AsScalars().U8()%2 == 1 {
				t.Fatalf("tree %d has %v", seed, n)
			}
		}
	}
}

// FuzzRewriteLoaded verifies that Rewrite returns a valid tree for every tree that Load accepts,
// and that RewriteInPlace returns the same tree.
func FuzzRewriteLoaded(f *testing.F) {
	for _, data := range valid() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"expr", "dag", "every"} {
			if _, err := formatOf(name+"-").load(data, flat.LoadLimits{}); err != nil {
				continue
			}
			rewritten := crossRewritten(name, data)
			if _, err := formatOf(name+"-").load(rewritten, flat.LoadLimits{MaxWalk: math.MaxInt}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got, want := crossPass(name, data, true), crossPass(name, data, false); !bytes.Equal(fileOf(got.Compact()), fileOf(want.Compact())) {
				t.Errorf("%s: in place it is %v, want %v", name, got, want)
			}
		}
	})
}
