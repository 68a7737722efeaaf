package flatexport

import (
	"slices"

	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/flatlayout"
)

// none stands for the index of a node that does not exist, such as the parent of the root.
const none = -1

// A node records the position of a node in its tree.
type node struct {
	parent, item     int32
	depth, pre, size int32
	field            *edge
}

// A walk records the position of each record of a tree. It reuses its memory for the next tree.
type walk struct {
	in     flatimpl.Inspector
	words  []uint32
	plan   *plan
	starts []uint32 // word index of each record, by record number
	number []int32  // number of the record that starts at each word index
	nodes  []node   // nodes by record number
	root   int
}

// locate sets w to the positions of all records of a tree. Because children come before their
// parents in the buffer, it needs only passes over the buffer, and no recursion.
func (w *walk) locate(in flatimpl.Inspector, p *plan) {
	w.in, w.words, w.plan, w.starts, w.root = in, in.Words(), p, w.starts[:0], none
	w.number = slices.Grow(w.number[:0], len(w.words))[:len(w.words)]
	for i := uint32(1); uint64(i) < uint64(len(w.words)); i += in.Size(i) {
		w.number[i] = int32(len(w.starts))
		w.starts = append(w.starts, i)
	}
	w.nodes = slices.Grow(w.nodes[:0], len(w.starts))[:len(w.starts)]
	for i := range w.nodes {
		w.nodes[i] = node{parent: none, item: none, pre: none, size: 1}
	}
	if root := in.Root(); root != 0 {
		w.root = int(w.number[root])
		w.nodes[w.root].pre = 0
	}
	w.parents()
	for i, n := range w.nodes {
		if n.parent != none {
			w.nodes[n.parent].size += w.nodes[i].size
		}
	}
	w.preorder()
}

// reached reports whether a node is reachable from the root. It must be called after parents.
func (w *walk) reached(number int) bool { return number == w.root || w.nodes[number].parent != none }

// parents finds the parent of each reachable node. If a node has several parents, it records the
// one that comes last in the buffer.
func (w *walk) parents() {
	for k := len(w.starts) - 1; k >= 0; k-- {
		if !w.reached(k) {
			continue
		}
		w.children(k, func(child int32, field *edge, item int32) {
			if n := &w.nodes[child]; n.parent == none && int(child) != w.root {
				n.parent, n.field, n.item, n.depth = int32(k), field, item, w.nodes[k].depth+1
			}
		})
	}
}

// preorder assigns numbers to the nodes in preorder. A node with several parents is visited below
// the parent that was recorded.
func (w *walk) preorder() {
	for k := len(w.starts) - 1; k >= 0; k-- {
		if !w.reached(k) {
			continue
		}
		next := w.nodes[k].pre + 1
		w.children(k, func(child int32, _ *edge, _ int32) {
			if n := &w.nodes[child]; n.parent == int32(k) && n.pre == none {
				n.pre = next
				next += n.size
			}
		})
	}
}

// children calls f for each reference from a record to a node.
func (w *walk) children(number int, f func(child int32, field *edge, item int32)) {
	i := w.starts[number]
	if b := w.plan.kinds[uint8(w.words[i])]; b.refs {
		w.block(b, i, none, f)
	}
}

func (w *walk) block(b *block, at uint32, item int32, f func(int32, *edge, int32)) {
	end := at + b.words
	for k := range b.fields {
		switch p := &b.fields[k]; {
		case p.value.Base == flatlayout.Slice:
			var n, first uint32
			n, first, end = w.slice(b, p, at, end)
			w.list(p.list, n, first, item, f)
		case !p.refs():
		case p.value.Base == flatlayout.Array:
			w.list(p.list, uint32(p.value.Len), at+uint32(p.place.Word), item, f)
		case p.inner != nil:
			w.block(p.inner, at+uint32(p.place.Word), item, f)
		default:
			w.ref(at+uint32(p.place.Word), p.edge, item, f)
		}
	}
}

// refs reports whether values of the field refer to nodes.
func (f *field) refs() bool {
	return f.edge != nil || f.inner != nil && f.inner.refs || f.list != nil && f.list.refs
}

// slice returns the number of items of a slice, the index of the first item, and the index at which
// the items of the block's next slice may start. The parameter at is the index of the block.
func (w *walk) slice(b *block, f *field, at, end uint32) (n, first, after uint32) {
	if b.inside {
		n, first = w.in.Nested(f.place, at)
		return n, first, end
	}
	n, first = w.in.Slice(f.place, at, end)
	return n, first, first + uint32((uint64(n)*uint64(f.list.bits)+31)/32)
}

func (w *walk) list(l *list, n, first uint32, item int32, f func(int32, *edge, int32)) {
	if !l.refs {
		return
	}
	for k := range n {
		at, outer := first+k*l.step, item
		if outer == none {
			outer = int32(k)
		}
		switch {
		case l.item != nil:
			w.block(l.item, at, outer, f)
		case l.inner != nil:
			w.list(l.inner, uint32(l.elem.Len), at, outer, f)
		default:
			w.ref(at, l.edge, outer, f)
		}
	}
}

func (w *walk) ref(at uint32, field *edge, item int32, f func(int32, *edge, int32)) {
	if r := w.words[at]; r != 0 {
		f(w.number[r], field, item)
	}
}
