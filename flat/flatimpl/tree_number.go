package flatimpl

import "math/bits"

// A Numbering assigns numbers to the records of a tree, from 0 on, in buffer order. It has two bits
// for each word of the tree, which encode whether a record starts at the word, and how many records
// start before it. docs/decisions/0025 explains the choice.
type Numbering struct {
	tree  *Tree
	ranks []rank
	end   int // number of words of the tree
}

// Number returns a Numbering of the records, which it computes in one pass.
func (t *Tree) Number() *Numbering {
	t.checkFreed("flatimpl.Tree.Number")
	t.checkClosed("flatimpl.Tree.Number")
	x := &Numbering{tree: t, ranks: make([]rank, len(t.words)/64+1), end: len(t.words)}
	for n := t.First(); n.index != 0; n = n.Next() {
		x.ranks[n.index/64].starts |= 1 << (n.index % 64)
	}
	records := uint32(0)
	for i := range x.ranks {
		x.ranks[i].before = records
		records += uint32(bits.OnesCount64(x.ranks[i].starts))
	}
	return x
}

// Len returns the number of records that were numbered.
func (x *Numbering) Len() int {
	last := x.ranks[len(x.ranks)-1]
	return int(last.before) + bits.OnesCount64(last.starts)
}

// wrongNode is the panic message for a node that has no number.
const wrongNode = "flatimpl.Numbering.Of: nil, a node of another tree or of one that was freed, or a node that was added after the nodes were numbered"

// Of returns the number of a record. It panics if the record has no number.
func (x *Numbering) Of(n Node) int {
	if n.tree != x.tree || int(n.index) >= x.end || x.end > len(x.tree.words) {
		panic(wrongNode)
	}
	return x.at(n.index)
}

func (x *Numbering) at(i uint32) int {
	r := &x.ranks[i/64]
	return int(r.before) + bits.OnesCount64(r.starts<<(63-i%64)) - 1
}

// A Table contains a value of type R for each record of a tree that was numbered.
type Table[R any] struct {
	numbers *Numbering
	of      []R
}

// NewTable returns a table whose values are zero.
func NewTable[R any](x *Numbering) Table[R] { return Table[R]{x, make([]R, x.Len())} }

// At returns a pointer to a record's value.
func (t Table[R]) At(n Node) *R { return &t.of[t.numbers.Of(n)] }

// Parents maps the records of a tree to their parents.
type Parents struct {
	numbers *Numbering
	of      []uint32 // index of each record's parent, or 0
}

// Parents finds the parents of all records, in one pass. If a record has several parents, the
// result contains the first of them in buffer order.
func (t *Tree) Parents(x *Numbering) Parents {
	t.checkFreed("flatimpl.Tree.Parents")
	if x.tree != t || x.end != len(t.words) {
		panic("flatimpl.Tree.Parents: the nodes of another tree were numbered, or nodes were added since")
	}
	p := Parents{x, make([]uint32, x.Len())}
	var refs []uint32
	for n := t.First(); n.index != 0; n = n.Next() {
		i := n.index
		plan := &t.tables.refs[uint8(t.words[i])]
		if plan.other {
			refs = t.refs(refs[:0], i, plan)
			for _, at := range refs {
				p.set(t.words[at], i)
			}
			continue
		}
		for rest := plan.fixed; rest != 0; rest &= rest - 1 {
			p.set(t.words[i+uint32(bits.TrailingZeros32(rest))], i)
		}
		if plan.list != nil {
			count, first := t.list(i, plan.list, i+plan.words)
			for _, child := range t.words[first:][:count] {
				p.set(child, i)
			}
		}
	}
	return p
}

// set makes the record at i the parent of the record at child, unless the child already has a
// parent.
func (p *Parents) set(child, i uint32) {
	if child == 0 {
		return
	}
	if of := &p.of[p.numbers.at(child)]; *of == 0 {
		*of = i
	}
}

// Of returns the parent of a record, or nil if it has none.
func (p Parents) Of(n Node) Node { return n.tree.node(p.of[p.numbers.Of(n)]) }
