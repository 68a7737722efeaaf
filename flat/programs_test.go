package flat_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
)

// These tests run random programs of valid and invalid calls, and recover from the panics of
// invalid ones. Load must accept each tree that Finish has returned, even after changes by setters.

// A program is a sequence of bytes that determines the calls and their arguments.
type program struct {
	text    []byte
	refused int // calls that have panicked
}

// next returns a number in [0, n) that the next byte determines, or 0 at the end.
func (p *program) next(n int) int {
	if len(p.text) == 0 || n == 0 {
		return 0
	}
	v := int(p.text[0]) % n
	p.text = p.text[1:]
	return v
}

// try makes a call that may panic because it is invalid. It fails the test if the panic has an
// unknown message.
func (p *program) try(t testing.TB, f func()) {
	defer func() {
		if r := recover(); r != nil {
			p.refused++
			said := fmt.Sprint(r)
			for _, known := range []string{"flat: ", "flatimpl.Node.Set", "flat.Tree.Clone: ", "flat.Tree.CloneInto: ", "flatimpl.List.", "everyflat.", "dagflat.", "exprflat.", "web2flat.", "linksflat.", "flatimpl.Packer.Add: ", "flat.Tree.WriteTo: ", ": the tree was freed", "index out of range", "nil pointer"} {
				if strings.Contains(said, known) {
					return
				}
			}
			t.Errorf("a panic that says %q", said)
		}
	}()
	f()
}

// mustLoad fails the test unless Load accepts the tree, and yields an equal one.
func mustLoad[T interface{ Flat() *flat.Tree }](t testing.TB, load func([]byte, flat.LoadLimits) (T, error), tree *flat.Tree) {
	t.Helper()
	again, err := load(fileOf(tree), flat.LoadLimits{MaxDepth: 1 << 20})
	if err != nil {
		t.Fatalf("a tree that nobody has refused: %v\n%v", err, tree)
	}
	if again.Flat().String() != tree.String() {
		t.Fatalf("%v is loaded as %v", tree, again.Flat())
	}
}

// everyProgram is the state of a program that uses schema every.
type everyProgram struct {
	program
	t        testing.TB
	builders [2]*everyflat.Builder
	nodes    []everyflat.Any // from both builders, and from finished and invalid trees
	trees    []everyflat.Tree
}

func (p *everyProgram) any() everyflat.Any {
	if p.next(8) == 0 || len(p.nodes) == 0 {
		return everyflat.Any{}
	}
	recent := min(len(p.nodes), 6) // usually, because otherwise few nodes are in the same tree and have no parent
	if p.next(4) == 0 {
		recent = len(p.nodes)
	}
	return p.nodes[len(p.nodes)-1-p.next(recent)]
}

func (p *everyProgram) node() everyflat.Node { return p.any().AsNode() }

// leaf returns a node that is a Leaf, if one of a few random nodes is.
func (p *everyProgram) leaf() everyflat.Leaf {
	n := p.any()
	for range 4 {
		if k := n.Kind(); k == everyflat.KindNull || k == everyflat.KindScalars || k == everyflat.KindInterned {
			break
		}
		n = p.any()
	}
	return n.AsLeaf()
}

func (p *everyProgram) run() {
	for i := range p.builders {
		p.builders[i] = everyflat.NewBuilder(flat.BuilderOptions{MaxBytes: int64(100 + 40*p.next(256))})
	}
	for len(p.text) > 0 {
		b := p.builders[max(0, p.next(4)-2)]
		p.try(p.t, func() {
			switch p.next(4) {
			case 0:
				p.nodes = append(p.nodes, p.build(b).AsAny())
			case 1:
				p.nodes = append(p.nodes, p.link(b).AsAny())
			case 2:
				p.set()
			case 3:
				p.trade(b)
			}
		})
	}
	for _, tree := range p.trees {
		if tree.NumWords() > 0 {
			mustLoad(p.t, everyflat.Load, tree.Flat())
		}
	}
}

// build creates a node that has no children, except in its structs.
func (p *everyProgram) build(b *everyflat.Builder) everyflat.Node {
	text := strings.Repeat("ab", p.next(3))
	switch p.next(6) {
	case 0:
		return b.Scalars(everyflat.ScalarsFields{B: true, I8: -1, U8: 2, I16: -3, U16: 4, I32: -5, U32: 6, F32: 7, I64: -8, U64: 9, F64: 10, S: text, T: []byte(text)})
	case 1:
		return b.Interned(text, []byte(text), []string{text, ""}, [2]string{"", text})
	case 2:
		i := int8(p.next(256))
		return b.Optional(everyflat.OptionalFields{I8: &i, S: &text})
	case 3:
		return b.Inline(true, everyflat.SpotFields{Note: &text}, everyflat.PairFields{Key: text, Value: p.node()}, make([]everyflat.SpotFields, p.next(3)))
	case 4:
		return b.Arrays(everyflat.ArraysFields{Bools: [9]bool{true}, Strings: [2]string{text}, Leaves: [2]everyflat.Leaf{p.leaf(), p.leaf()}, Pairs: [2]everyflat.PairFields{{Value: p.node()}}, Nested: [2][2]everyflat.PairFields{{{}, {Key: text, Value: p.node()}}}})
	default:
		return b.Null()
	}
}

// link creates a node with children.
func (p *everyProgram) link(b *everyflat.Builder) everyflat.Node {
	var nodes []everyflat.Node
	for range p.next(5) {
		nodes = append(nodes, p.node())
	}
	switch p.next(4) {
	case 0:
		return b.Value(p.leaf())
	case 1:
		return b.Links(everyflat.LinksFields{Node: p.node(), Leaf: p.leaf(), Self: p.any().AsLinks(), Nodes: nodes, Leaves: [2]everyflat.Leaf{p.leaf(), {}}})
	case 2:
		return b.Full(everyflat.FullFields{A: 1, B: 2, C: 3, D: true, E: -4, List: nodes, Other: make([]uint16, p.next(5))})
	default:
		return b.Lists(everyflat.ListsFields{Small: 1, Bools: make([]bool, p.next(7)), Strings: []string{"", "x"}, Pairs: []everyflat.PairFields{{Key: "k", Value: p.node()}, {}}, Nodes: nodes, Arms: [][2]everyflat.Leaf{{p.leaf(), p.leaf()}}})
	}
}

// set calls setters of a random node.
func (p *everyProgram) set() {
	switch n := p.any().View().(type) {
	case *everyflat.Links:
		n.SetNode(p.node())
		n.SetLeaf(p.leaf())
		n.SetSelf(p.any().AsLinks())
		n.SetLeave(p.next(3), p.leaf())
		n.SetNodesAt(p.next(3), p.node())
	case *everyflat.Full:
		n.SetListAt(p.next(3), p.node())
		n.SetE(int16(p.next(256)))
	case *everyflat.Value:
		n.SetOf(p.leaf())
	case *everyflat.Inline:
		n.Pair().SetValue(p.node())
		n.At().SetNote(nil)
	case *everyflat.Arrays:
		n.Pair(p.next(3)).SetValue(p.node())
		n.SetLeave(p.next(3), p.leaf())
	case *everyflat.Lists:
		n.SetNode(p.next(3), p.node())
		n.SetArm(p.next(2), [2]everyflat.Leaf{p.leaf(), p.leaf()})
		n.Pair(0).SetValue(p.node())
	case *everyflat.Optional:
		n.SetI8(nil)
		n.SetS(nil)
	}
}

// trade finishes a tree, resets the builder, reuses the memory of a tree, or copies a tree.
func (p *everyProgram) trade(b *everyflat.Builder) {
	switch p.next(6) {
	case 0, 1, 2:
		tree, err := b.Finish(p.node())
		if err == nil {
			mustLoad(p.t, everyflat.Load, tree.Flat())
			p.trees = append(p.trees, tree)
		}
	case 3:
		b.Reset()
	case 4:
		if len(p.trees) > 0 {
			b.Reuse(p.trees[p.next(len(p.trees))])
		}
	case 5:
		if len(p.trees) > 1 {
			tree := p.trees[0].CloneInto(p.trees[1+p.next(len(p.trees)-1)])
			p.trees = append(p.trees, tree)
			p.nodes = append(p.nodes, tree.Root().AsAny())
		}
	}
}

// dagProgram runs a program that uses a schema with shared nodes.
func dagProgram(t testing.TB, p *program) {
	b, other := dagflat.NewBuilder(flat.BuilderOptions{}), dagflat.NewBuilder(flat.BuilderOptions{})
	terms := []dagflat.Term{{}, other.Atom("stranger")}
	term := func() dagflat.Term { return terms[p.next(len(terms))] }
	var trees []dagflat.Tree
	for len(p.text) > 0 && len(terms) < 25 { // shared nodes make walks exponential
		p.try(t, func() {
			switch p.next(6) {
			case 0:
				terms = append(terms, b.Atom("a"))
			case 1:
				terms = append(terms, b.Pair(term(), term()))
			case 2:
				terms = append(terms, b.List([]dagflat.Term{term(), term(), term()}))
			case 3:
				term().AsPair().SetA(term())
			case 4:
				term().AsList().SetItem(p.next(4), term())
			case 5:
				trees = append(trees, must(b.Finish(term())))
			}
		})
	}
	for _, tree := range trees {
		mustLoad(t, dagflat.Load, tree.Flat())
	}
}

// runProgram runs a program with both schemas. It returns the number of calls that panicked, and
// the number of trees that were finished.
func runProgram(t testing.TB, text []byte) (refused, trees int) {
	p := everyProgram{t: t, program: program{text: text}}
	p.run()
	d := program{text: text}
	dagProgram(t, &d)
	return p.refused + d.refused, len(p.trees)
}

func TestWhateverIsLetPassLoads(t *testing.T) {
	refused, trees := 0, 0
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 5))
		text := make([]byte, 600)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		r, n := runProgram(t, text)
		refused += r
		trees += n
	}
	t.Logf("%d trees, %d calls refused", trees, refused)
	if trees < 300 || refused < 3000 {
		t.Errorf("%d trees and %d calls that were refused: the programs try little", trees, refused)
	}
}

// FuzzBuilder verifies that Load accepts each tree that Finish has returned, whatever Builder
// methods and setters were called.
func FuzzBuilder(f *testing.F) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 6))
		text := make([]byte, 200)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { runProgram(t, text) })
}
