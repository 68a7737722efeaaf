package flat_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dag"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
)

// below reports whether n is m or a descendant of m. seen contains the terms already visited.
func below(m, n dag.Term, seen map[dag.Term]bool) bool {
	switch {
	case m == n:
		return true
	case m == nil || seen[m]:
		return false
	}
	seen[m] = true
	switch m := m.(type) {
	case *dag.Pair:
		return below(m.A, n, seen) || below(m.B, n, seen)
	case *dag.List:
		for _, item := range m.Items {
			if below(item, n, seen) {
				return true
			}
		}
	}
	return false
}

// runGraphEdits interprets p as a series of edits, applies them to a flat graph and to an equal
// graph of pointers, and compares the two. It returns the number of edits that were accepted.
func runGraphEdits(t testing.TB, p *program) (made int) {
	term := randomDag(rand.New(rand.NewPCG(uint64(p.next(256)), 17)), 5+p.next(30))
	tree := must(dagflat.FromTree(term, flat.LoadLimits{}))
	nodes, model := []dagflat.Term{{}}, []dag.Term{nil}
	seen := map[dag.Term]bool{}
	var learn func(n dagflat.Term, m dag.Term)
	learn = func(n dagflat.Term, m dag.Term) {
		if m == nil || seen[m] {
			return
		}
		seen[m] = true
		nodes, model = append(nodes, n), append(model, m)
		switch m := m.(type) {
		case *dag.Pair:
			learn(n.AsPair().A(), m.A)
			learn(n.AsPair().B(), m.B)
		case *dag.List:
			for i, item := range m.Items {
				learn(n.AsList().Item(i), item)
			}
		}
	}
	learn(tree.Root(), term)
	b := dagflat.NewBuilder(flat.BuilderOptions{})
	b.Edit(tree)
	for len(p.text) > 0 {
		i, k := p.next(len(nodes)), p.next(len(nodes))
		if p.next(3) == 0 {
			nodes, model = append(nodes, b.Pair(nodes[i], nodes[k])), append(model, &dag.Pair{A: model[i], B: model[k]})
			continue
		}
		var place *dag.Term
		set := func() {}
		switch m := model[i].(type) {
		case *dag.Pair:
			place, set = &m.A, func() { nodes[i].AsPair().SetA(nodes[k]) }
		case *dag.List:
			if at := len(m.Items) - 1; at >= 0 {
				place, set = &m.Items[at], func() { nodes[i].AsList().SetItem(at, nodes[k]) }
			}
		}
		if place == nil {
			continue
		}
		cycle, refused := model[k] != nil && below(model[k], model[i], map[dag.Term]bool{}), true
		p.try(t, func() {
			set()
			*place, refused = model[k], false
			made++
		})
		if refused != cycle {
			t.Fatalf("%v below %v: refused is %v, want %v", nodes[k], nodes[i], refused, cycle)
		}
	}
	last := len(nodes) - 1 - min(len(nodes)-1, 3)
	tree = must(b.Finish(nodes[last]))
	for _, form := range []dagflat.Tree{tree, tree.Compact(), tree.Clone(), must(b.Rewrite(tree, dagflat.Rewriter{}))} {
		var want, got strings.Builder
		shape(model[last], map[dag.Term]int{}, &want)
		shape(must(dagflat.ToTree(form, flat.LoadLimits{})), map[dag.Term]int{}, &got)
		if got.String() != want.String() {
			t.Fatalf("%s, want %s", got.String(), want.String())
		}
	}
	if _, err := dagflat.Load(fileOf(tree.Compact().Flat()), flat.LoadLimits{MaxWalk: math.MaxInt}); err != nil {
		t.Fatal(err)
	}
	return made
}

// A node of a graph may have several parents. An edit that would create a cycle is rejected.
func TestEditOfGraphs(t *testing.T) {
	made, refused := 0, 0
	for seed := range uint64(1000) {
		p := program{text: randomText(seed, 90)}
		made += runGraphEdits(t, &p)
		refused += p.refused
	}
	if made < 5000 || refused < 1000 {
		t.Errorf("%d edits, and %d that were refused: the programs try little", made, refused)
	}
}

func FuzzEditOfGraphs(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(seed, 60))
	}
	f.Fuzz(func(t *testing.T, text []byte) { runGraphEdits(t, &program{text: text}) })
}
