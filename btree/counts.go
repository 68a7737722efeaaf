package btree

import "math"

// With Options.Ranked, an inner node stores the number of entries below each child. The tree is
// then an "order statistic tree" (Cormen et al., Introduction to Algorithms, 14.1), in which the
// entry at an index, and the index of a key, are found by reading one node per level.
// docs/decisions/0056 explains what the counts cost, and why they are optional.
//
// Invariant: counts[i] of an inner node is the number of entries in the leaves below child i.

// mostCounted is the maximum number of entries in a tree with counts, which are 32-bit integers.
const mostCounted = math.MaxUint32

// tally adds the number by, modulo 2^32, to each count on the cursor's path. The caller must have
// called tree.own.
func (t *tree) tally(by uint32) {
	for _, s := range t.cursor.path[:t.height] {
		t.node(s.node).counts(&t.shape)[s.at] += by
	}
}

// recount recomputes the counts of children i and i+1 of the node on level d of the path, or only
// of child i if the node has no other child.
func (t *tree) recount(d, i int) {
	parent, leaf := t.node(t.cursor.path[d].node), d+1 == t.height
	counts := parent.counts(&t.shape)
	for end := min(i+1, t.count(parent, false)); i <= end; i++ {
		counts[i] = t.below(t.node(parent.child(&t.shape, i)), leaf)
	}
}

// below returns the number of entries in a leaf, or in all leaves below an inner node.
func (t *tree) below(n node, leaf bool) (sum uint32) {
	count := t.count(n, leaf)
	if leaf {
		return uint32(count)
	}
	for _, c := range n.counts(&t.shape)[:count+1] {
		sum += c
	}
	return sum
}

// nth finds the entry at index i of the tree. It returns the leaf that contains the entry, and the
// index of the entry in that leaf. i must be less than the number of entries.
func (v *view) nth(i int) (n node, at int) {
	rest := uint64(i)
	n = v.node(v.root)
	for range v.height {
		counts := n.counts(&v.shape)[:v.count(n, false)]
		child := 0
		for ; child < len(counts) && rest >= uint64(counts[child]); child++ {
			rest -= uint64(counts[child])
		}
		n = v.node(n.child(&v.shape, child))
	}
	if rest >= uint64(v.count(n, true)) {
		damaged("recorded entries are missing, from index", uint32(i))
	}
	return n, int(rest)
}

// rank returns the number of keys that are less than the probe.
func (v *view) rank(p *probe) (sum int) {
	if v.root == 0 {
		return 0
	}
	n := v.node(v.root)
	for range v.height {
		child := v.childOf(n, p)
		for _, c := range n.counts(&v.shape)[:child] {
			sum += int(c)
		}
		n = v.node(n.child(&v.shape, child))
	}
	at, _ := v.find(n, v.count(n, true), p)
	return sum + at
}
