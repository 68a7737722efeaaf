package btree

import (
	"bytes"
	"cmp"
	"fmt"
	"math"

	"github.com/coppice-go/coppice/internal/called"
	"github.com/coppice-go/coppice/internal/texts"
)

// A view contains all fields that are needed to read a tree. The view in a tree changes when the
// tree changes. Each snapshot has a copy of the view, which does not change.
//
//	root -- inner nodes, on height levels -- leaves, all on one level
//
// Invariants: the keys of a node are in ascending order, and lie between the keys of the nodes
// above that bound the node; length is the number of keys in leaves; all words after the last key
// have the largest value. A leaf may be empty, and an inner node may have one child, if there was
// no memory to rebalance. verify.go checks the invariants.
type view struct {
	memory
	shape
	root   uint32 // 0 if nothing was inserted since the map was made or cleared
	height int    // number of levels of inner nodes
	length int
	heap   *texts.Heap // a snapshot has its own copy of the Heap
}

// A probe is the key for which a tree is searched. The mode of the tree determines which of its
// fields is used.
type probe struct {
	word    uint64
	text    []byte
	compare func(key address) int // negative if the probe is less than the key at that address
}

// A step records a node and the index of one of its children or, for a leaf, of one of its keys. A
// cursor holds the steps from the root to a leaf.
type step struct {
	node uint32
	at   int
}

type cursor struct {
	path [maxHeight + 1]step
}

// damaged panics with a message that reports that a file is damaged.
func damaged(what string, n uint32) {
	panic(fmt.Sprintf("%s: the file that was opened is damaged: %s %d; use Options.Verify", called.Method(), what, n))
}

// node returns the node with the given number.
func (v *view) node(number uint32) node {
	if number >= v.top {
		v.missing(number)
	}
	return v.at(&v.shape, number)
}

func (v *view) missing(number uint32) {
	if v.top == 0 {
		panic(called.Method() + ": the map is closed, or was not made by New or OpenFile")
	}
	damaged("it has no node", number)
}

// text returns the string with the heap reference ref, which keys or values of the tree contain.
func (v *view) text(ref uint32) []byte {
	b, ok := v.heap.Bytes(ref)
	if !ok {
		damaged("it has no text", ref)
	}
	return b
}

// valueRef returns the address at which a leaf stores the heap reference of value i, for trees
// whose values are strings (value.go); i must be less than leafCap.
func (v *view) valueRef(n node, i int) *uint32 { return valueAt[uint32](n, &v.shape, i) }

// tail calls tailOf, and start calls startOf (leaf.go). Both panic if the file is damaged.
func (v *view) tail(n node, i int) (tail []byte, long uint32) {
	tail, long, ok := tailOf(v.heap, &v.shape, n, i)
	if !ok {
		damaged("it has no text in block", n.block(&v.shape).ref)
	}
	return tail, long
}

func (v *view) start(n node) []byte {
	start, ok := startOf(v.heap, &v.shape, n)
	if !ok {
		damaged("it has no start in block", n.block(&v.shape).ref)
	}
	return start
}

// compareKey compares key i of a leaf with a string.
func (v *view) compareKey(n node, i int, text []byte) int {
	start := v.start(n)
	if c := bytes.Compare(start, text[:min(len(start), len(text))]); c != 0 {
		return c
	}
	w, skip := n.keys64(v.leafCap)[i], n.header().skip
	if c := cmp.Compare(w, textWord(text, skip)); c != 0 || isWhole(w) {
		return c
	}
	tail, _ := v.tail(n, i)
	return bytes.Compare(tail, afterWord(text, skip))
}

// count returns the number of keys of a node.
func (v *view) count(n node, leaf bool) int {
	count := int(n.header().count)
	if count > v.innerCap && !leaf || count > v.leafCap && leaf {
		damaged("too many keys in a node:", 1)
	}
	return count
}

// descend finds the position of a key, or the position at which it would be inserted. It sets c to
// the path from the root to that position, and returns the number of keys in the leaf and whether
// the key is present.
func (v *view) descend(c *cursor, p *probe) (count int, found bool) {
	number := v.root
	for d := range v.height {
		n := v.node(number)
		at := v.childOf(n, p)
		c.path[d] = step{number, at}
		number = n.child(&v.shape, at)
	}
	n := v.node(number)
	count = v.count(n, true)
	at, found := v.find(n, count, p)
	c.path[v.height] = step{number, at}
	return count, found
}

// childOf returns the index, in an inner node, of the child to which the key belongs.
func (v *view) childOf(n node, p *probe) int {
	count := v.count(n, false)
	switch v.mode {
	case words64:
		return notAbove(n.keys64(v.innerCap), count, p.word)
	case words32:
		return notAbove(n.keys32(v.innerCap), count, uint32(p.word))
	case stringed:
		w, low, ok := v.wordIn(n, false, count, p)
		if !ok {
			return low
		}
		words := n.keys64(v.innerCap)
		low = less(words, count, w)
		if low == count || words[low] != w {
			return low
		}
		if isWhole(w) {
			return low + 1
		}
		return v.amongTexts(n, p, low, notAbove(words, count, w))
	default:
		return v.compareAll(n, count, p, 1)
	}
}

// wordIn returns the word that a string has in a node. If the string does not begin with the common
// prefix of the node, wordIn returns false and the index at which the string would be inserted.
func (v *view) wordIn(n node, leaf bool, count int, p *probe) (w uint64, at int, ok bool) {
	h := n.header()
	if h.open != 0 && h.skip > 0 && count > 0 {
		var start []byte
		if leaf {
			start = v.start(n)
		} else {
			start = v.text(n.refs(&v.shape)[0])
			start = start[:min(int(h.skip), len(start))]
		}
		if c := bytes.Compare(p.text[:min(len(start), len(p.text))], start); c != 0 {
			return 0, b2i(c > 0) * count, false
		}
	}
	return textWord(p.text, h.skip), 0, true
}

// find returns the index of a key in a leaf, or the index at which it would be inserted.
func (v *view) find(n node, count int, p *probe) (at int, found bool) {
	switch v.mode {
	case words64:
		words := n.keys64(v.leafCap)
		at = less(words, count, p.word)
		return at, at < count && words[at] == p.word
	case words32:
		words := n.keys32(v.leafCap)
		at = less(words, count, uint32(p.word))
		return at, at < count && words[at] == uint32(p.word)
	case stringed:
		w, at, ok := v.wordIn(n, true, count, p)
		if !ok {
			return at, false
		}
		words := n.keys64(v.leafCap)
		at = less(words, count, w)
		if at == count || words[at] != w {
			return at, false
		}
		if isWhole(w) {
			return at, true
		}
		tail := afterWord(p.text, n.header().skip)
		if own, _ := v.tail(n, at); bytes.Equal(own, tail) { // usually, no other key has this word
			return at, true
		}
		return v.amongTails(n, tail, at, notAbove(words, count, w))
	default:
		at = v.compareAll(n, count, p, 0)
		return at, at < count && p.compare(n.keyAt(&v.shape, at)) == 0
	}
}

// amongTails finds a key in a leaf by its tail, among the keys from low to high, which all have the
// same word as the key.
func (v *view) amongTails(n node, tail []byte, low, high int) (at int, found bool) {
	for low < high {
		middle := int(uint(low+high) / 2)
		own, _ := v.tail(n, middle)
		c := bytes.Compare(own, tail)
		if c == 0 {
			return middle, true
		}
		if c < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, false
}

// amongTexts returns the number of keys of an inner node that are less than or equal to the probe.
// The keys from low to high are those with the same word as the probe.
func (v *view) amongTexts(n node, p *probe, low, high int) int {
	refs := n.refs(&v.shape)
	for low < high {
		middle := int(uint(low+high) / 2)
		if bytes.Compare(v.text(refs[middle]), p.text) <= 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// compareAll searches a node whose keys are compared by a function. It returns the number of keys
// that are less than the probe or, if equal is 1, less than or equal to the probe.
func (v *view) compareAll(n node, count int, p *probe, equal int) int {
	low, high := 0, count
	for low < high {
		middle := int(uint(low+high) / 2)
		if p.compare(n.keyAt(&v.shape, middle)) > -equal {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// find64 implements lookUp for 8-byte words. It returns the leaf, and the index of the key in the
// leaf.
func (v *view) find64(w uint64) (n node, at int, found bool) {
	n = v.node(v.root)
	for range v.height {
		n = v.node(n.child(&v.shape, notAbove(n.keys64(v.innerCap), v.count(n, false), w)))
	}
	words, count := n.keys64(v.leafCap), v.count(n, true)
	at = less(words, count, w)
	return n, at, at < count && words[at] == w
}

// lookUp is like descend but does not record the path. It returns the leaf, and the index of the
// key in the leaf.
func (v *view) lookUp(p *probe) (n node, at int, found bool) {
	if v.mode == words64 {
		return v.find64(p.word)
	}
	n = v.node(v.root)
	for range v.height {
		n = v.node(n.child(&v.shape, v.childOf(n, p)))
	}
	at, found = v.find(n, v.count(n, true), p)
	return n, at, found
}

// next moves a cursor to the first key of the next leaf that has a key, and reports whether there
// is such a leaf. It also counts the leaves without keys, and panics if it finds as many of them as
// there are nodes. Without this limit, it could run almost forever in a damaged file, in which a
// node can be the child of all nodes above it.
func (v *view) next(c *cursor) (count int, ok bool) {
	for leaves := uint32(0); ; leaves++ {
		if leaves >= v.top {
			damaged("a node is in two places; empty leaves visited:", leaves)
		}
		d := v.height - 1
		for ; d >= 0 && c.path[d].at >= v.count(v.node(c.path[d].node), false); d-- {
		}
		if d < 0 {
			return 0, false
		}
		c.path[d].at++
		if count = v.edge(c, d, false); count > 0 {
			return count, true
		}
	}
}

// before moves a cursor to the last key of the previous leaf that has a key, and reports whether
// there is such a leaf.
func (v *view) before(c *cursor) (ok bool) {
	for leaves := uint32(0); ; leaves++ {
		if leaves >= v.top {
			damaged("a node is in two places; empty leaves visited:", leaves)
		}
		d := v.height - 1
		for ; d >= 0 && c.path[d].at == 0; d-- {
		}
		if d < 0 {
			return false
		}
		c.path[d].at--
		if v.edge(c, d, true) > 0 {
			return true
		}
	}
}

// edge moves a cursor down from the current child on level d to the first key of the first leaf
// below it or, if last is true, to the last key of the last leaf. If d is -1, it starts at the
// root. It returns the number of keys in the leaf.
func (v *view) edge(c *cursor, d int, last bool) (count int) {
	number := v.root
	if d >= 0 {
		number = v.node(c.path[d].node).child(&v.shape, c.path[d].at)
	}
	for d++; d < v.height; d++ {
		n, at := v.node(number), 0
		if last {
			at = v.count(n, false)
		}
		c.path[d] = step{number, at}
		number = n.child(&v.shape, at)
	}
	count = v.count(v.node(number), true)
	c.path[v.height] = step{number, 0}
	if last {
		c.path[v.height].at = count - 1
	}
	return count
}

// greatest is the value of the unused 8-byte words that follow a node's last key.
const greatest = math.MaxUint64
