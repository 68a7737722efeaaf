// Package btree implements a sorted map whose memory the collector never scans: a B+-tree, outside
// the Go heap once it exceeds 32 KiB.
//
//	m := btree.Must(btree.New[string, uint64](btree.Options{}))
//	defer m.Close()
//	m.Set("ulm", 128_000)
//	people, ok := m.Get("ulm")
//	for name, people := range m.Range("a", "m") { ... }
//
// # Costs
//
//   - A Map must be closed: the collector does not track its memory once it exceeds 32 KiB.
//   - Keys and values contain no pointers. Keys may be strings, whose bytes the Map copies. Values
//     that are strings or byte slices require a [Texts].
//   - Keys that are strings are copied when they are returned: All makes one allocation for up to
//     64 of them, even if the loop uses only the values. One key keeps alive the memory of all keys
//     that were copied with it. AllBytes yields keys without copying.
//   - Keys of more than 255 bytes are slower: each is stored separately, and the common prefix of a
//     leaf is limited to 240 bytes.
//   - Access by index, and the index of a key, require Options.Ranked. Each new key then changes a
//     count in every node above it.
//   - A Map may be changed by one goroutine at a time, with no concurrent readers except those of a
//     [Snapshot].
//   - All floating-point NaNs are the same key, which is the smallest, and -0 equals 0. The Map
//     returns the same NaN for all of them, and the same zero for both.
//   - A Map with one entry uses 3 to 4 KiB.
//
// # When to use something else
//
// If the order is not needed, a hash table finds a key with fewer cache misses. If values have
// pointers, use a B-tree on the Go heap, such as github.com/tidwall/btree.
//
// # Terms
//
//	node      1 KiB of memory, or more if entries are large, identified by a 32-bit number
//	leaf      a node with keys and values
//	inner     a node with keys and the numbers of the nodes below it, its children
//	level     all nodes at the same distance from the root
//	word      a key, or its first bytes, as an unsigned number that is ordered like the keys
//	free      not in the tree, and not visible to a snapshot
//	held      not in the tree, but visible to a snapshot
//
// # How it works
//
//	inner                      [ "jena" | "ulm" ]
//	                          /         |        \
//	leaves   [ "aalen" "bonn" ]  [ "jena" "lyon" ]  [ "ulm" "york" ]
//	         [  value   value ]  [  value  value ]  [ value  value ]
//
// The nodes are in one region of package internal/vmem and are identified by numbers, because a
// small region may move when it grows. Leaves are not linked to their neighbors, because a copied
// node would require changing its neighbors' links: an iteration has a stack instead. A search
// compares words, without a branch on the key (search.go). The words of strings leave out the
// common prefix of all keys of the node (text.go). The remaining bytes of a leaf's keys are in one
// block of a string heap (leaf.go, internal/texts), so that consecutive keys are consecutive in
// memory.
//
// A full leaf first moves entries to a neighbor. If the neighbor has no room either, the leaf is
// split: in halves, or near the end if it is the last one and keys are inserted in order. Nodes
// that are less than a quarter full are joined with a neighbor. Random keys therefore leave nodes
// four fifths full, and keys in order leave them full.
//
// A snapshot records the number of the root. Nodes that it may see are copied before they are
// changed (copy on write: "shadowing" in Rodeh, B-trees, shadowing, and clones, TOS 2008). Each
// node records the epoch in which it was created. A change compares epochs to find the nodes that
// it must copy (tree.go), and Close of a snapshot compares them to find the nodes that are now free
// (held.go). docs/decisions/0031 describes the alternatives that were tried.
package btree

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	texts_snapshot.go
//	texts_order.go                   loops over a Texts, and look-ups by order
//	texts.go                         values that are strings
//	texts_read.go                    code shared by a Texts and its snapshots
//	file.go
//	verify.go
//	iter.go                          iterators
//	ranked.go                        the i-th entry, and the index of a key
//	snapshot.go
//	take.go                          removing keys, and changing values by a function
//	map.go
//	iterate.go                       code shared by maps and snapshots; the files below do not depend on K and V
//	value.go                         values that are strings: storing and releasing them
//	change.go                        inserting and removing keys
//	arrange.go                       redistributing entries between two neighbors
//	counts.go                        numbers of entries below nodes
//	keep.go                          making and releasing strings of leaves
//	tree.go                          making and releasing nodes
//	held.go                          nodes visible to snapshots
//	entries.go                       entries of a node
//	view.go                          reading a tree
//	leaf.go                          reading the strings of a leaf
//	search.go  text.go  node_unsafe.go  word_unsafe.go
//	shape.go  options.go
