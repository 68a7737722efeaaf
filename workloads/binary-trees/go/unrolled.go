package binarytrees

import "github.com/coppice-go/coppice/store"

// unrolledNode has both links of a node in one word, so that one instruction stores or loads
// both. The low half is the ref of the left child, and the high half is the ref of the right
// child. A leaf is zero.
type unrolledNode uint64

func (n unrolledNode) left() unrolledNode  { return unrolledNode(uint32(n)) }
func (n unrolledNode) right() unrolledNode { return n >> 32 }

// both is a factor that copies a 32-bit number into both halves of a 64-bit word.
const both = 1<<32 | 1

// These are the links of an inner node at slot 0, by the number of levels below the node. The order
// is preorder: the left child is in the next slot, the right one after the left subtree.
const (
	links1 = 1 | 2<<32
	links2 = 1 | 4<<32
	links3 = 1 | 8<<32
	links4 = 1 | 16<<32
)

// unrolled allocates one block of a Store and builds all trees in it, with the last levels of build
// and count unrolled. Every slot of a tree is written, so no slot needs to be cleared between
// trees.
type unrolled struct {
	nodes *store.Store[unrolledNode]
	root  store.Ref[unrolledNode] // the first of the block
	slots int                     // of the block
}

func newUnrolled(s Shape) (worker, error) {
	nodes, err := store.New[unrolledNode](store.Options{Name: "binary-trees", Max: s.greatestTree()})
	if err != nil {
		return nil, err
	}
	return &unrolled{nodes: nodes}, nil
}

// tree builds a tree in the memory of the previous tree, and returns all slots.
func (u *unrolled) tree(depth int) []unrolledNode {
	if slots := 2<<depth - 1; slots > u.slots {
		u.nodes.Reset()
		u.root, _ = u.nodes.Make(slots)
		u.slots = slots
	}
	nodes := u.nodes.Slice()
	buildUnrolled(nodes, unrolledNode(u.root), depth)
	return nodes
}

// buildUnrolled builds a tree with its root at the given slot. It builds the lowest 31-node
// subtrees without a call or a branch.
func buildUnrolled(nodes []unrolledNode, at unrolledNode, depth int) {
	for ; depth != 4 && depth > 0; depth-- {
		right := at + 1<<depth
		nodes[at] = at + 1 | right<<32
		buildUnrolled(nodes, at+1, depth-1)
		at = right
	}
	if depth == 4 {
		build31((*[31]unrolledNode)(nodes[at:]), at*both)
	} else {
		nodes[at] = 0
	}
}

// build31 builds a tree of depth 4; first is the ref of its first slot, in both halves.
func build31(b *[31]unrolledNode, first unrolledNode) {
	b[0] = first + links4
	b[1] = first + 1*both + links3
	build7((*[7]unrolledNode)(b[2:]), first+2*both)
	build7((*[7]unrolledNode)(b[9:]), first+9*both)
	b[16] = first + 16*both + links3
	build7((*[7]unrolledNode)(b[17:]), first+17*both)
	build7((*[7]unrolledNode)(b[24:]), first+24*both)
}

// build7 builds a tree of depth 2. The compiler inlines it, and its indexes are constants.
func build7(b *[7]unrolledNode, first unrolledNode) {
	b[0] = first + links2
	b[1] = first + 1*both + links1
	b[2], b[3] = 0, 0
	b[4] = first + 4*both + links1
	b[5], b[6] = 0, 0
}

// countUnrolled counts n and the nodes below it. It follows every link and does not use the
// depth. It checks whether n is the root of a subtree of 31 nodes, so that such a subtree
// costs a single call. Slot 0 is the nil record, which is zero, so the children of a leaf
// read as leaves.
func countUnrolled(nodes []unrolledNode, n unrolledNode) int {
	l, r := nodes[n.left()], nodes[n.right()]
	if l == 0 || r == 0 {
		return countSmall(nodes, n)
	}
	if seven(nodes, nodes[l.left()]) && seven(nodes, nodes[l.right()]) &&
		seven(nodes, nodes[r.left()]) && seven(nodes, nodes[r.right()]) {
		return 31
	}
	return 1 + countUnrolled(nodes, l) + countUnrolled(nodes, r)
}

// seven reports whether n is the root of a subtree of 7 nodes: n has two children, and each child
// has two leaves. It checks the leftmost leaf first, which is closest to n in memory.
func seven(nodes []unrolledNode, n unrolledNode) bool {
	l := nodes[n.left()]
	if l == 0 || nodes[l.left()] != 0 {
		return false
	}
	r := nodes[n.right()]
	return r != 0 && nodes[l.right()]|nodes[r.left()]|nodes[r.right()] == 0
}

// countSmall counts trees that have a leaf less than two levels below the root n.
func countSmall(nodes []unrolledNode, n unrolledNode) int {
	if n == 0 {
		return 1
	}
	return 1 + countSmall(nodes, nodes[n.left()]) + countSmall(nodes, nodes[n.right()])
}

func (u *unrolled) count(depth int) int {
	nodes := u.tree(depth)
	return countUnrolled(nodes, nodes[u.root])
}

// Close releases the memory.
func (u *unrolled) Close() error { return u.nodes.Close() }

func (u *unrolled) keep(depth int) func() int {
	nodes := u.tree(depth)
	return func() int { return countUnrolled(nodes, nodes[u.root]) }
}
