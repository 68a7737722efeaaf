package flatimpl

import (
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// Traversals are generated, with a case for each kind; see docs/decisions/0025. This file contains
// the code that they share: the stack of a preorder traversal, and slow general functions for other
// cases.

// A Stack contains the nodes that a preorder traversal must still visit. The traversal keeps their
// number, top, in a local variable. If top were in memory, each step would have to wait for the
// store of the previous step.
type Stack struct {
	room [StackRoom]uint32 // enough for most trees
	more []uint32          // nodes that do not fit into room
	Ahead
}

// StackRoom is the number of nodes that a Stack can hold without allocating.
const StackRoom = 64

// Words returns the words of the tree, and the index of n in them.
func (n Node) Words() ([]uint32, uint) {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.words, uint(n.index)
}

// Preorder returns the node after n in preorder, or nil, and the new top. It is small enough to
// inline into a loop. The parameter leaves has a bit for each kind without children, or is 0 if the
// schema has more than 63 kinds. For other kinds, and at the end, Preorder calls next.
func Preorder(s *Stack, n Node, top uint, leaves uint64, next PreorderNext) (Node, uint) {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	if leaves>>(n.tree.words[n.index]&63)&1 != 0 && top-1 < StackRoom {
		return Node{n.tree, s.Top(top)}, top - 1
	}
	return next(s, n, top)
}

// PreorderStep is the type of functions such as Preorder.
type PreorderStep = func(s *Stack, n Node, top uint, leaves uint64, next PreorderNext) (Node, uint)

// PreorderNext is the type of the generated functions that advance the traversal from any node.
type PreorderNext = func(s *Stack, n Node, top uint) (Node, uint)

// An Ahead reads words that a traversal will need soon, so that the processor loads them into its
// cache.
type Ahead struct{ word uint32 }

// ahead is the prefetch distance in words. It corresponds to 1 KiB. A traversal takes about 100
// nanoseconds for 1 KiB, which is as long as a cache miss.
const ahead = 256

// Read reads the word at index i+ahead. Traversals call it at some leaves and when they move to a
// first child. The calls are needed because each subtree is entered at its end, so that the
// processor's prefetcher cannot predict the next access, although nodes are consecutive in the
// buffer.
func (a *Ahead) Read(words []uint32, i uint) {
	if far := i + ahead; far < uint(len(words)) {
		a.word = words[far]
	}
}

// Put adds a record and returns the new top. The caller ensures that top < StackRoom.
func (s *Stack) Put(top uint, i uint32) uint {
	s.room[top%StackRoom] = i
	return top + 1
}

// Top returns the last record of the stack, which must be in the array room.
func (s *Stack) Top(top uint) uint32 { return s.room[(top-1)%StackRoom] }

// Push adds a record, which must not be nil, and returns the new top.
func (s *Stack) Push(top uint, i uint32) uint {
	if top < StackRoom {
		return s.Put(top, i)
	}
	return s.spill(top, i)
}

// spill implements Push for a full Stack. It must not be inlined, because its callers would then
// save registers even if they do not reach it.
//
//go:noinline
func (s *Stack) spill(top uint, i uint32) uint {
	s.more = append(s.more, i)
	return top + 1
}

// PushItems adds the records to which the items of a list refer, with the first record on top. An
// item has the given number of words, and its references are at the offsets in refs.
func (s *Stack) PushItems(top uint, l List, words uint32, refs ...uint32) uint {
	w := l.tree.words[l.first:][:int(l.count)*int(words)]
	for at := len(w) - int(words); at >= 0; at -= int(words) {
		for k := len(refs) - 1; k >= 0; k-- {
			if r := w[at+int(refs[k])]; r != 0 {
				top = s.Push(top, r)
			}
		}
	}
	return top
}

// Items pushes the items of a list, which must be references, and returns the next node and the new
// top. The next node is the record at the index first or, if first is 0, the record that is then on
// top of the stack.
func (s *Stack) Items(n Node, top uint, l List, first uint32) (Node, uint) {
	items := l.tree.words[l.first:][:l.count]
	if top+uint(len(items)) <= StackRoom {
		for k := len(items) - 1; k >= 0; k-- {
			if r := items[k]; r != 0 {
				top = s.Put(top, r)
			}
		}
	} else {
		for k := len(items) - 1; k >= 0; k-- {
			if r := items[k]; r != 0 {
				top = s.Push(top, r)
			}
		}
	}
	if first != 0 {
		return Node{n.tree, first}, top
	}
	return s.Pop(n, top)
}

// PushChildren adds the children of a node of any kind, with the first child on top.
func (s *Stack) PushChildren(top uint, n Node) uint {
	var room [64]uint32
	children := n.children(room[:0])
	for _, r := range slices.Backward(children) {
		top = s.Push(top, r)
	}
	return top
}

// Step pushes the children of a node of any kind, and returns the next node and the new top.
func (s *Stack) Step(n Node, top uint) (Node, uint) { return s.Pop(n, s.PushChildren(top, n)) }

// Pop removes the last record from the stack. It returns this record, as a node of the tree of n,
// and the new top. It returns nil if the stack is empty.
func (s *Stack) Pop(n Node, top uint) (Node, uint) {
	switch {
	case top == 0:
		return Node{}, 0
	case top <= StackRoom:
		return Node{n.tree, s.Top(top)}, top - 1
	}
	last := len(s.more) - 1
	n.index = s.more[last]
	s.more = s.more[:last]
	return n, top - 1
}

// At returns the record at index i of n's tree.
func (n Node) At(i uint32) Node { return Node{n.tree, i} }

// children appends the indexes of the node's children, in the order of fields and items.
func (n Node) children(to []uint32) []uint32 {
	t := n.tree
	t.mentions(n.index, func(at uint32, op slotOp) {
		if r := t.words[at]; op == opRef && r != 0 {
			to = append(to, r)
		}
	})
	return to
}
