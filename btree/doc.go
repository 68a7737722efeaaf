// Package btree implements a sorted map whose memory the garbage collector never scans. The map is
// a B+-tree, which is stored outside the Go heap once it exceeds 32 KiB.
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
//   - Keys of more than 255 bytes are slower, because each of them is stored separately. A leaf
//     stores at most 240 bytes of the common prefix of its keys.
//   - Finding an entry by its index, or the index of a key, requires Options.Ranked. Each insertion
//     and removal then changes a count in every node above the key.
//   - A Map may be changed by one goroutine at a time, with no concurrent readers except those of a
//     [Snapshot].
//   - All floating-point NaNs are one key, the smallest, and -0 and 0 are one key. The Map returns
//     the same NaN for every NaN, and the same zero for -0 and 0.
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
// The nodes are in one region of package internal/vmem. They are identified by numbers rather than
// by addresses, because a small region may move when it grows. Leaves are not linked to their
// neighbors; otherwise, copying a leaf would require changing the links in its neighbors. Instead,
// an iteration keeps a stack of the nodes above the current leaf. A search compares words, without
// a branch on the key (search.go). The words of strings leave out the prefix that all keys of the
// node share (text.go). For each leaf, the remaining bytes of its keys are in a single block of a
// string heap (leaf.go, internal/texts), so that keys that are adjacent in the order are also
// adjacent in memory.
//
// A full leaf first moves entries to a neighbor. If the neighbor has no room either, the leaf is
// split. It is usually split in the middle. If it is the last leaf and keys are inserted in
// ascending order, it is split near its end. Nodes that are less than a quarter full are joined
// with a neighbor. After insertions in random order, nodes are therefore four fifths full on
// average. After insertions in ascending order, they are full.
//
// A snapshot records the node number of the root. Nodes that a snapshot may see are copied before
// they are changed (copy on write: "shadowing" in Rodeh, B-trees, shadowing, and clones, TOS 2008).
// Each node records the epoch in which it was created. A method that changes the tree compares
// epochs to find the nodes that it must copy (tree.go), and Snapshot.Close compares them to find
// the nodes that are now free (held.go). docs/decisions/0031 describes the alternatives that were
// tried.
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
