package flatimpl

import (
	"errors"
	"slices"
)

// A rewrite copies a tree, record by record in buffer order, in which children come before parents.
// When f gets a record, its children are already rewritten and come before it in the new tree.
// Records that f does not get are copied in runs. A run preserves distances, so that one offset
// moves its references; moves records the offsets of earlier runs. docs/decisions/0023 explains the
// choice.
//
// Words are copied ahead, past the end of the new tree, in pieces that double. When a run ends, the
// words that were copied too far are overwritten.
type rewrite struct {
	b       *Builder
	from    *Tree
	to      *Tree // the Builder's
	kinds   Kinds
	live    []uint64 // a bit for each record of from that is reachable; nil if all are
	moves   moves
	ahead   uint32 // the words of from before this index were copied
	piece   uint32 // how many words are copied next
	records int    // number of records copied
	waiting []waitingLink
	mapped  bool // the file may have changed since it was checked
	counted bool // the Builder's tally has all references that differ from those of from
	changed bool // to may have records that are not reachable, or records with several parents
	spots   spots
}

// A scratch is memory that a Builder keeps from one rewrite to the next.
type scratch struct {
	moves    moves
	tally    tally
	todo     []uint32
	marks    []uint64
	waiting  []waitingLink
	standIns standIns // of RewriteInPlace, like
	places   places   // these
	refs     []uint32 // the words of a record that are references, or links
	spots    spots
	ends     []uint32 // the strings of the last tree, with room after them: see takeStrings
	text     []byte
}

// The minimum and maximum number of words that are copied ahead. They are still in the first-level
// cache when their references are moved.
const (
	leastPiece = 32
	mostPiece  = 2048
)

// Rewrite copies the tree from into the Builder's tree and finishes it. Each record with one of the
// kinds is replaced by the result of f: the copy that f gets, another node of the Builder's tree,
// or nil. The tree from does not change. Rewrite returns ErrFull if the limit was reached.
func (b *Builder) Rewrite(from *Tree, kinds *Kinds, f func(Node) Node) (*Tree, error) {
	b.checkReady("Rewrite", from)
	w := rewrite{b: b, from: from, to: b.tree, kinds: *kinds, moves: b.scratch.moves, waiting: b.scratch.waiting[:0], counted: !b.tables.share, spots: b.scratch.spots}
	w.moves.reset()
	w.spots.start(maxWords)
	if from.fixed() {
		w.from, w.counted, w.mapped = from.Clone(), false, true // the file may change in the meantime; mark detects earlier changes
	}
	if from.edit != nil {
		from.checkClosed(b.tables.schema.name + ".Builder.Rewrite")
		w.from = from.inOrder()
	}
	b.rewriting, b.sharing = true, true
	w.to.whole, w.to.rewriter = true, b
	b.scratch.tally.reset()
	defer b.endRewrite(w.to)
	if !w.from.isWhole() {
		w.live, _ = w.from.mark("", &b.scratch)
	}
	w.takeStrings()
	w.takeWords()
	if !w.run(f) {
		return nil, b.err
	}
	w.setRoot()
	w.setWaiting()
	if w.changed || !w.to.whole {
		w.sweep()
	}
	return w.finish(), nil
}

// checkReady panics, in the name of method, if the Builder or the tree is not ready.
func (b *Builder) checkReady(method string, from *Tree) {
	b.checkIdle(method)
	switch name := b.tables.schema.name + ".Builder." + method; {
	case from == nil || from.words == nil:
		panic(name + ": the tree was freed")
	case len(b.tree.words) > 1 || b.rest != nil || b.err != nil:
		panic(name + ": the Builder has begun another tree; call Finish or Reset first")
	}
}

// checkIdle panics, in the name of method, if the Builder is rewriting a tree.
func (b *Builder) checkIdle(method string) {
	if b.rewriting {
		caller := "Rewrite"
		if b.scratch.places.base != 0 {
			caller = "RewriteInPlace"
		}
		panic(b.tables.schema.name + ".Builder." + method + ": called by a function that " + caller + " has called")
	}
}

// endRewrite discards the tree if the rewrite did not finish it: the Builder is full, or there was
// a panic, which continues.
func (b *Builder) endRewrite(to *Tree) {
	b.rewriting, b.sharing = false, b.tables.share
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

// takeStrings gives the new tree the strings of the old one, with their numbers. The two share the
// memory, as clones do. If the old tree is the last one that this Builder rewrote, nothing else
// appends to its memory: the Builder continues there.
func (w *rewrite) takeStrings() {
	b, from, to := w.b, w.from, w.to
	kept := &b.scratch
	to.ends, to.text = slices.Clip(from.ends), slices.Clip(from.text)
	if len(kept.ends) > 0 && &kept.ends[0] == &from.ends[0] && len(kept.ends) == len(from.ends) {
		to.ends, to.text = kept.ends, kept.text
	}
	b.count()
	b.strings.stale = len(to.ends) > 1
}

// takeWords makes room for a tree of the size of the old one, and a little more.
func (w *rewrite) takeWords() {
	const more = 16 // one part in this many
	n := min(int64(len(w.from.words)), w.b.left/4)
	if n > int64(cap(w.to.words)) {
		w.to.words = slices.Grow(w.to.words, int(n+n/more))
	}
}

// run copies all records. f is not a field of w, so that it does not escape. run returns false if
// the Builder is full.
func (w *rewrite) run(f func(Node) Node) bool {
	to, live, words := w.to, w.live, w.from.words
	plans, sizes := &to.tables.refs, &to.tables.sizes
	end, at := uint32(len(words)), uint32(1) // at is the position of the next record
	moved, linked := false, to.tables.linked // whether anything has moved so far
	var last move
	for i := uint32(1); i < end; {
		kind := uint8(words[i])
		next := i + guess(sizes[kind])
		if next == i {
			next += w.from.size(i)
		}
		if next <= i || next > end {
			panic(changedFile)
		}
		if live != nil && live[i/64]>>(i%64)&1 == 0 {
			i, w.ahead = next, 0
			continue
		}
		if next > w.ahead {
			to.words = to.words[:at]
			if !w.copy(i, next) {
				return false
			}
			w.moves.add(i, at-i)
			last = w.moves.last()
			moved = len(w.moves.list) > 1 || last.by != 0
		}
		w.records++
		n := at
		at += next - i
		to.words = to.words[:at]
		plan := &plans[kind]
		if plan.some && moved {
			to.moveRefs(plan, n, i, last, &w.moves)
			if w.changed {
				w.spots.addRefs(to, plan, n)
			}
		}
		if linked && (plan.links != 0 || plan.farLinks) {
			w.takeLinks(plan, n, i, last)
			if w.changed {
				w.spots.addLinks(to, plan, n)
			}
		}
		if w.kinds.has(kind) {
			if !w.visit(f, i, Node{to, n}) {
				return false
			}
			at = uint32(len(to.words))
		}
		i = next
	}
	to.nodes += w.records
	return true
}

// changedFile is the panic for words that a validated tree cannot have.
const changedFile = "flatimpl.Builder.Rewrite: the mapped file was changed"

// copy copies words from index i on, including the record up to next, past the end of the new tree.
// It returns false if the Builder is full.
func (w *rewrite) copy(i, next uint32) bool {
	b, to := w.b, w.to
	if w.ahead == 0 {
		w.piece = leastPiece
	}
	w.ahead = min(max(next, i+w.piece), uint32(len(w.from.words)))
	w.piece = min(2*w.piece, mostPiece)
	n, at := int(w.ahead-i), len(to.words)
	b.count()
	if b.left -= 4 * int64(n); b.left < 0 || n > cap(to.words)-at {
		if !b.grow(n) {
			return false
		}
	}
	copy(to.words[at:cap(to.words)], w.from.words[i:w.ahead])
	return true
}

// visit calls f for the record at i, whose copy is n, and replaces it by the result. It returns
// false if the Builder is full.
func (w *rewrite) visit(f func(Node) Node, i uint32, n Node) bool {
	b, to := w.b, w.to
	end := len(to.words)
	b.done, b.counted = end, uint32(end)
	r := f(n)
	if b.err != nil {
		return false
	}
	if b.done != len(to.words) {
		b.undo()
		w.ahead = 0
	}
	if r != n {
		w.replace(i, n, r)
		to.turnLinks(n.index, r.index)
	}
	if r != n || len(to.words) != end {
		w.ahead = 0
		if !w.changed {
			w.changed = true
			w.spots.start(uint32(end))
		}
		w.spots.addAll(to, uint32(end))
		if w.counted {
			b.scratch.tally.made(to, uint32(end), r.index)
		}
	}
	return true
}

// replace records that references to the record at i lead to r instead of its copy n. It panics if
// r is a node of another tree.
func (w *rewrite) replace(i uint32, n, r Node) {
	if r.index != 0 && r.tree != w.to {
		panic(w.to.tables.misuse("Builder.Rewrite", "instead of "+n.describe()+" nil or a node of the new tree", r.describe()+" of another tree"))
	}
	w.moves.replace(i, r.index)
	if w.counted {
		w.b.scratch.tally.add(n.index, -1)
		if r.index < w.b.counted { // made handles new ones
			w.b.scratch.tally.add(r.index, 1)
		}
	}
}

// setRoot sets the root of the new tree. It panics if the schema does not allow the root's kind.
func (w *rewrite) setRoot() {
	if w.from.root == 0 {
		return
	}
	t := w.to
	t.root, _ = w.moves.find(w.from.root)
	if root := (Node{t, t.root}); t.root != 0 && !t.tables.root.has(root.Kind()) {
		panic(t.tables.misuse("Builder.Rewrite", "as root nil or "+t.tables.oneOf(t.tables.root), root.describe()))
	}
}

// finish returns the new tree, under a Tree value of its own: handles that f got panic from then
// on, because sweep moves records. The Builder starts an empty tree.
func (w *rewrite) finish() *Tree {
	b, to := w.b, w.to
	b.scratch.ends, b.scratch.text, b.scratch.moves = to.ends, to.text, w.moves
	b.scratch.waiting, b.scratch.spots = w.waiting, w.spots
	t := &Tree{words: to.words, ends: slices.Clip(to.ends), text: slices.Clip(to.text), root: to.root, nodes: to.nodes,
		tables: to.tables, whole: true}
	parents := to.parents // all of its bits are 0
	to.drop()
	b.rewriting, b.sharing = false, b.tables.share
	b.start(nil, nil, parents)
	return t
}
