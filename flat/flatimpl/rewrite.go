package flatimpl

import (
	"errors"
	"slices"
)

// A scratch is the memory that rewrites use. A Builder keeps it between rewrites, so that it is
// allocated only once.
type scratch struct {
	moves    moves
	tally    tally
	todo     []uint32
	marks    []uint64
	gone     []uint64
	waiting  []waitingLink
	standIns standIns
	places   places
	refs     []uint32 // the words of a record that are references, or links
	made     []move   // of records that functions have made
	stash    []uint32 // their words
	ends     []uint32 // the strings of the last tree, with room after them: see takeStrings
	text     []byte
}

// Rewrite copies a tree into the Builder's tree and finishes the copy. It calls f with the copy of
// each record that has one of the kinds, and replaces the record by the result of f. The result may
// be the copy itself, a different node of the Builder's tree, or nil. The original tree does not
// change. Rewrite returns ErrFull if the limit was reached.
//
// Rewrite changes the copy in place, and then sorts its records. docs/decisions/0023 explains the
// choice.
func (b *Builder) Rewrite(from *Tree, kinds *Kinds, f func(Node) Node) (*Tree, error) {
	const method = "Rewrite"
	b.checkReady(method, from)
	w := pass{b: b, method: method, source: from, to: b.tree, kinds: *kinds, ahead: 1, counted: !b.tables.share}
	if from.fixed() {
		w.source, w.counted = from.Clone(), false // the file may change in the meantime; Tree.mark detects earlier changes
	}
	if from.edit != nil {
		from.checkClosed(b.tables.schema.name + ".Builder." + method)
		w.source = from.inOrder()
	}
	b.rewriting, b.sharing = method, true
	defer b.endRewrite(w.to)
	w.takeStrings()
	if !w.takeWords(from.fixed()) {
		return nil, b.err
	}
	w.begin()
	if !w.run(f) {
		return nil, b.err
	}
	w.setRoot()
	w.setWaiting()
	if w.changed || !w.to.whole {
		w.sweep()
	}
	return w.finishCopy(), nil
}

// checkReady panics if the Builder or the tree is not ready for a rewrite. The message contains the
// given method name.
func (b *Builder) checkReady(method string, from *Tree) {
	b.checkIdle(method)
	switch name := b.tables.schema.name + ".Builder." + method; {
	case from == nil || from.words == nil:
		panic(name + ": the tree was freed")
	case len(b.tree.words) > 1 || b.rest != nil || b.err != nil:
		panic(name + ": the Builder has begun another tree; call Finish or Reset first")
	}
}

// checkIdle panics if the Builder is rewriting a tree. The message contains the given method name.
func (b *Builder) checkIdle(method string) {
	if b.rewriting != "" {
		panic(b.tables.schema.name + ".Builder." + method + ": called by a function that " + b.rewriting + " has called")
	}
}

// endRewrite is deferred by Rewrite. If the rewrite did not finish, because the Builder is full or
// f panicked, it discards the new tree. A panic then continues.
func (b *Builder) endRewrite(to *Tree) {
	b.rewriting, b.sharing = "", b.tables.share
	b.scratch.places.base = 0
	if b.tree != to {
		return
	}
	p := recover()
	if r, is := p.(refusal); is {
		p = errors.New(r.Error()) // while the tree that the text describes still exists
	}
	b.scratch.ends, b.scratch.text = nil, nil // strings of to may follow those
	to.ends = nil                             // other trees share it
	b.Reset()
	if p != nil {
		panic(p)
	}
}

// takeStrings gives the new tree the strings of the old tree, at the same indexes. The two trees
// share the strings' memory, as clones do. If the old tree is the result of this Builder's last
// Rewrite, nothing else appends to that memory, and the Builder continues to append to it.
func (w *pass) takeStrings() {
	b, from, to := w.b, w.source, w.to
	kept := &b.scratch
	to.ends, to.text = slices.Clip(from.ends), slices.Clip(from.text)
	if len(kept.ends) > 0 && &kept.ends[0] == &from.ends[0] && len(kept.ends) == len(from.ends) {
		to.ends, to.text = kept.ends, kept.text
	}
	b.strings.stale = len(to.ends) > 1
}

// pieceWords is the number of words that a pass copies at a time, before it visits their records.
// It is small enough that they are still in the first-level cache when the records are visited.
const pieceWords = 2048

// takeWords allocates the words of the new tree: as many as the old tree has, with slightly more
// capacity. The pass copies the words when it reaches them. If some records may be unreachable,
// takeWords instead copies the reachable records at once. It returns false if the Builder is full.
func (w *pass) takeWords(mapped bool) bool {
	const more = 16 // the extra room is 1/more of the words
	b, from, to := w.b, w.source, w.to
	n := len(from.words)
	whole := from.isWhole()
	if b.left = b.options.MaxBytes - 4*int64(n-1) - 4*int64(len(to.ends)-1) - int64(len(to.text)); b.left < 0 && whole {
		return b.grow(0)
	}
	if n > cap(to.words) {
		to.words = make([]uint32, n, n+n/more)
	}
	to.words, to.root, to.nodes = to.words[:n], from.root, from.nodes
	if whole {
		return true
	}
	live, reached := from.mark("", &b.scratch)
	copy(to.words[1:], from.words[1:])
	if mapped {
		to.checkLinks(live)
	}
	if mapped || reached < to.nodes {
		b.scratch.places.start(uint32(n))
		dead := zeros(&b.scratch.gone, n)
		if gone := to.unmarked(live, dead); gone > 0 {
			w.sort(dead, gone)
		}
	}
	w.source, w.ahead = to, uint32(len(to.words))
	b.count()
	return b.left >= 0 || b.grow(0)
}

// checkLinks sets a link of the tree to nil if its target is not a live record, or is of a kind
// that the link does not accept. Both can only happen if the tree was mapped and its file was
// changed.
func (t *Tree) checkLinks(live []uint64) {
	t.mapLinks(func(r uint32) uint32 {
		if uint64(r/64) >= uint64(len(live)) || live[r/64]>>(r%64)&1 == 0 {
			return 0
		}
		return r
	})
	for i := t.First().index; t.tables.linked && i != 0; i = t.nextIndex(i) {
		t.links(i, func(at uint32, kinds *Kinds) {
			if r := t.words[at]; r != 0 {
				t.words[at] = t.acceptedLink(i, at, r, kinds)
			}
		})
	}
}

// finishCopy returns the new tree, and makes the Builder start an empty tree. The new tree gets a
// new Tree value, so that every use of a handle that was passed to f panics from then on. Such
// handles are not valid, because pass.sort has moved records.
func (w *pass) finishCopy() *Tree {
	b, to := w.b, w.to
	w.keep()
	b.scratch.ends, b.scratch.text = to.ends, to.text
	t := &Tree{words: to.words, ends: slices.Clip(to.ends), text: slices.Clip(to.text), root: to.root, nodes: to.nodes,
		tables: to.tables, whole: true}
	parents := to.parents // all of its bits are 0
	to.drop()
	b.rewriting, b.sharing = "", b.tables.share
	b.start(nil, nil, parents)
	return t
}
