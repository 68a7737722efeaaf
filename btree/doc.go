// Package btree is a sorted map whose memory the collector never looks at: a B+-tree, outside the
// Go heap once it has more than 32 KiB.
//
//	m := btree.Must(btree.New[string, uint64](btree.Options{}))
//	defer m.Close()
//	m.Set("ulm", 128_000)
//	people, ok := m.Get("ulm")
//	for name, people := range m.Range("a", "m") { ... }
//
// # The price
//
//   - A Map must be closed: the collector does not know of its memory, once it has more than 32
//     KiB.
//   - Keys and values hold no pointers. Keys may be strings, whose bytes the Map copies. Values that
//     are strings or byte slices need a [Texts].
//   - Keys that are strings are copied when they are handed out: All makes one allocation for up to
//     64 of them. A loop that needs values only pays for the keys, too. One key keeps the memory of
//     all that were copied with it. AllBytes lends keys instead.
//   - Keys of more than 255 bytes are slower: each has a text of its own, and its leaf leaves out
//     at most 240 bytes.
//   - The i-th entry and the index of a key are to be had with Options.Ranked only: each new key
//     then changes a count in every node above it.
//   - One goroutine may change a Map at a time, and no other may read it meanwhile, except a
//     [Snapshot] of it.
//   - Of floats, all NaNs are one key, the least, and -0 is 0: what is handed out is one of each.
//   - A Map with one entry takes 3 to 4 KiB.
//
// # When to use something else
//
// If order is of no use, a hash table finds a key with fewer waits for memory. If values have
// pointers, use a B-tree on the Go heap, such as that of github.com/tidwall/btree.
//
// # Words
//
//	node      1 KiB of memory, or more if entries are large, with a number of 32 bits
//	leaf      a node with keys and values
//	inner     a node with keys and the numbers of nodes below, its children
//	word      a key, or the start of one, as a number without sign that is ordered as keys are
//	free      not in the tree, and seen by no snapshot
//	held      not in the tree, and seen by a snapshot
//
// # How it works
//
// Nodes lie in one region of package internal/vmem, and a number names them: while the region is
// small it may move when it grows. Leaves have no links to their neighbours, because a node that is
// copied would have to be known to them: an iteration has a stack instead. Keys are searched as
// words without a branch on the key (search.go); the words of strings leave out what all keys of
// the node begin with (text.go), and the rest of the bytes of a leaf's keys is in one block of a
// heap of texts (leaf.go, internal/texts), so that keys in order are in memory in order.
//
// A full leaf first gives entries to a neighbour; if there is no room either it is split in halves,
// or near the end if it is the last one and keys come in order. Nodes of less than a quarter are
// joined with a neighbour. So random keys leave nodes four fifths full, and keys in order leave
// them full.
//
// A snapshot is the number of the root. What it may see is copied before it is changed (copy on
// write: "shadowing" in Rodeh, B-trees, shadowing, and clones, TOS 2008), and nodes know the epoch
// in which they were made, so that a change knows what to copy (tree.go) and closing a snapshot
// what is free (held.go). docs/decisions/0031 says what else was tried.
package btree

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	texts_snapshot.go
//	texts_order.go                   loops over a Texts, and what its order finds
//	texts.go                         values that are strings
//	texts_read.go                    what a Texts and its snapshots have in common
//	file.go
//	verify.go
//	iter.go                          to and fro
//	ranked.go                        the i-th entry, and the index of a key
//	snapshot.go
//	take.go                          keys that are taken out, or changed by a function
//	map.go
//	iterate.go                       what maps and snapshots have in common; nothing below knows K and V
//	value.go                         values that are strings, which come and go
//	change.go                        keys that come and go
//	arrange.go                       two neighbours
//	counts.go                        of entries below nodes
//	keep.go                          texts of leaves that come and go
//	tree.go                          nodes that come and go
//	held.go                          what snapshots see
//	entries.go                       entries of a node
//	view.go                          a tree to read
//	leaf.go                          texts of a leaf to read
//	search.go  text.go  node_unsafe.go  word_unsafe.go
//	shape.go  options.go
