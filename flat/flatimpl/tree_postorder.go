package flatimpl

import (
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Path contains the nodes that a postorder traversal must still visit. As with a Stack, the
// traversal keeps the position of the last entry, top, in a local variable, which begins at 0. An
// entry is ready if each descendant of its node was visited or comes after it on the path; an entry
// without descendants is always ready. Ready entries are stored as negative numbers. The first
// entry is always 0. docs/decisions/0063 explains the choice.
type Path struct {
	room [StackRoom]int64 // the last entries
	more []int64          // those before
	Ahead
	begun bool
}

// Postorder returns the node after n in postorder, or nil, and the new top. It is small enough
// to inline into a loop. If the last entry is not ready, it calls next.
func Postorder(p *Path, n Node, top uint, next PostorderNext) (Node, uint) {
	if e := p.room[top%StackRoom]; e < 0 {
		n.index = uint32(-e)
		if checks.Enabled {
			n.tree.checkFreed(reading)
		}
		_ = n.tree.words[n.index] // panics if the tree was freed
		return n, top - 1
	}
	return next(p, n, top)
}

// PostorderStep is the type of functions such as Postorder.
type PostorderStep = func(p *Path, n Node, top uint, next PostorderNext) (Node, uint)

// PostorderNext is the type of the generated functions that advance the traversal if the last entry
// is not ready.
type PostorderNext = func(p *Path, n Node, top uint) (Node, uint)

// IsReady reports whether the last entry is ready.
func (p *Path) IsReady(top uint) bool { return p.room[top%StackRoom] < 0 }

// Ready returns the node of the last entry, which must be ready.
func (p *Path) Ready(top uint) uint32 { return uint32(-p.room[top%StackRoom]) }

// Take returns the node of the last entry, which must not be ready. It is 0 for the first entry.
func (p *Path) Take(top uint) uint { return uint(uint32(p.room[top%StackRoom])) }

// PutReady adds a ready entry and returns the new top. The caller ensures that top <
// StackRoom-1.
func (p *Path) PutReady(top uint, i uint32) uint {
	top++
	p.room[top%StackRoom] = -int64(i)
	return top
}

// Put is like PutReady for a node with the given header, which is ready only if its kind is in the
// set leaves.
func (p *Path) Put(top uint, i, header uint32, leaves uint64) uint {
	top++
	leaf := -int64(leaves >> (header & 63) & 1) // all bits, or none
	p.room[top%StackRoom] = int64(i) ^ leaf - leaf
	return top
}

// Push is like Put but first calls Spill if the path is full.
func (p *Path) Push(top uint, i, header uint32, leaves uint64) uint {
	if top == StackRoom-1 {
		top = p.Spill(top)
	}
	return p.Put(top, i, header, leaves)
}

// PutItems adds the nodes to which the items of a list refer, with the first node on top. An item
// has the given number of words, and its references are at the offsets in refs.
func (p *Path) PutItems(top uint, l List, leaves uint64, words uint32, refs ...uint32) uint {
	w := l.tree.words[l.first:][:int(l.count)*int(words)]
	for at := len(w) - int(words); at >= 0; at -= int(words) {
		for k := len(refs) - 1; k >= 0; k-- {
			if r := w[at+int(refs[k])]; r != 0 {
				top = p.Push(top, r, l.tree.words[r], leaves)
			}
		}
	}
	return top
}

// PutChildren adds a node of any kind, and its children, with the first child on top.
func (p *Path) PutChildren(top uint, n Node) uint {
	if top == StackRoom-1 {
		top = p.Spill(top)
	}
	top = p.PutReady(top, n.index)
	var room [64]uint32
	for _, r := range slices.Backward(n.children(room[:0])) {
		top = p.Push(top, r, 0, 0)
	}
	return top
}

// Spill moves StackRoom/2 entries to a slice, to make room on the path, and returns the new top.
//
//go:noinline
func (p *Path) Spill(top uint) uint {
	const half = StackRoom / 2
	if top <= half {
		return top
	}
	p.more = append(p.more, p.room[1:1+half]...)
	copy(p.room[1:], p.room[1+half:top+1])
	return top - half
}

// Resume is called when the traversal has reached the first entry. It restores entries that Spill
// has moved or, at the beginning of the traversal, adds n. It returns the new top, which is 0 at
// the end of the traversal.
func (p *Path) Resume(n Node, top uint) uint {
	switch {
	case len(p.more) > 0:
		first := len(p.more) - StackRoom/2
		top = uint(copy(p.room[1:], p.more[first:]))
		p.more = p.more[:first]
	case !p.begun && n.index != 0:
		n.tree.checkFreed("flat: Postorder")
		p.begun = true
		top = p.Put(top, n.index, 0, 0)
	}
	return top
}
