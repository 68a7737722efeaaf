package flatimpl

import (
	"errors"
	"math/bits"
)

// A rewrite in place takes over the words of a tree instead of copying them. Records do not move: f
// gets the records themselves, and new ones are appended. A record whose child was replaced gets
// the new reference when the pass reaches it, before f is called. Everything else is as in a
// rewrite: the order of the visits, what f may do, and how references are counted.
// docs/decisions/0034 explains the choice.
type inPlace struct {
	b        *Builder
	to       *Tree // with the words of the tree that was taken over
	kinds    Kinds
	live     []uint64 // a bit for each record that is reachable; nil if all are
	whole    bool     // all records were reachable before
	base     uint32   // the records from this word on are new
	least    uint32   // records before this index are not replaced, or their parents were updated; nobody if no record is pending
	pending  int      // how many records are replaced whose parent was not updated yet
	changed  bool     // there may be records that are not reachable, or records with several parents
	linked   bool     // a record was replaced to which links may lead
	standIns standIns // the replacements of records
	waiting  []waitingLink
	refs     []uint32 // the words of a record that are references, or links
}

// nobody is an index that no record has.
const nobody = allBits

// RewriteInPlace is like Rewrite but takes over the memory of the tree from, which is freed in any
// case. Records do not move, and records made by f are appended, so that references may lead
// forward in the result, as in a tree that was edited.
func (b *Builder) RewriteInPlace(from *Tree, kinds *Kinds, f func(Node) Node) (*Tree, error) {
	b.checkTake(from)
	if from.edit != nil {
		ordered := from.inOrder()
		from.drop()
		from = ordered
	}
	w := inPlace{b: b, kinds: *kinds, base: uint32(len(from.words)), least: nobody, whole: from.isWhole(), standIns: b.scratch.standIns, waiting: b.scratch.waiting[:0], refs: b.scratch.refs}
	w.take(from)
	defer b.endInPlace(w.to)
	if !w.whole {
		w.live, _ = w.to.mark("", &b.scratch)
	}
	if !w.run(f) {
		return nil, b.err
	}
	w.setRoot()
	w.setWaiting()
	w.bury()
	return w.finish(), nil
}

// checkTake panics if the Builder or the tree is not ready.
func (b *Builder) checkTake(from *Tree) {
	const method = "RewriteInPlace"
	b.checkReady(method, from)
	name := b.tables.schema.name + ".Builder." + method
	if from.fixed() {
		panic(name + ": the tree is mapped or belongs to a forest, and is read-only; give it to Rewrite, or a Clone of it to " + method)
	}
	from.checkClosed(name)
}

// take makes a tree of the words and strings of from, which is freed. The Builder continues with
// that tree.
func (w *inPlace) take(from *Tree) {
	b := w.b
	w.to = &Tree{words: from.words, ends: from.ends, text: from.text, root: from.root, nodes: from.nodes, tables: from.tables, whole: true, rewriter: b}
	from.drop()
	b.rest, b.tree = b.tree, w.to
	b.rewriting, b.sharing = true, true
	b.scratch.tally.reset()
	b.scratch.places.start(w.base)
	w.standIns.reset()
	b.done = len(w.to.words)
	b.count()
	b.strings.reset() // equal strings are stored once among those made by f
}

// endInPlace ends a pass. If the pass did not finish, because the Builder is full or f panicked,
// the tree is discarded, and a panic continues.
func (b *Builder) endInPlace(to *Tree) {
	b.rewriting, b.sharing = false, b.tables.share
	b.scratch.places.base = 0
	if b.tree != to {
		return
	}
	p := recover()
	if r, is := p.(refusal); is {
		p = errors.New(r.Error()) // while the tree that the text describes still exists
	}
	rest, words := b.rest, to.words
	if cap(words) < cap(rest.words) {
		words = rest.words
	}
	to.rewriter = nil
	to.drop()
	b.tree, b.rest = rest, nil
	b.start(words, nil, nil)
	if p != nil {
		panic(p)
	}
}

// run visits all records. f is not a field of w, so that it does not escape. run returns false if
// the Builder is full.
func (w *inPlace) run(f func(Node) Node) bool {
	to, live, end := w.to, w.live, w.base
	words, plans, sizes, linked := to.words, &to.tables.refs, &to.tables.sizes, to.tables.linked
	for i := uint32(1); i < end; {
		kind := uint8(words[i])
		next := i + guess(sizes[kind])
		if next == i {
			next += to.size(i)
		}
		if live != nil && live[i/64]>>(i%64)&1 == 0 {
			i = next
			continue
		}
		plan := &plans[kind]
		if w.least != nobody && plan.some {
			w.patch(plan, i)
		}
		if linked && (plan.links != 0 || plan.farLinks) {
			w.takeLinks(plan, i)
		}
		if w.kinds.has(kind) {
			if !w.visit(f, i) {
				return false
			}
			words = to.words
		}
		i = next
	}
	return true
}

// visit calls f for the record at i, and replaces it by the result. It returns false if the Builder
// is full.
func (w *inPlace) visit(f func(Node) Node, i uint32) bool {
	b, to, n := w.b, w.to, Node{w.to, i}
	end := len(to.words)
	b.done, b.counted = end, uint32(end)
	b.scratch.places.visit(uint32(end), i)
	r := f(n)
	if b.err != nil {
		return false
	}
	b.settle()
	if r != n {
		w.replace(n, r)
		to.turnLinks(n.index, r.index)
	}
	if r != n || len(to.words) != end {
		w.changed = true
		if !to.tables.share {
			b.scratch.tally.made(to, uint32(end), r.index)
		}
	}
	b.scratch.places.visited(uint32(len(to.words)))
	return true
}

// replace records that r replaces n. It panics if r is a node of another tree.
func (w *inPlace) replace(n, r Node) {
	t := w.to
	if r.index != 0 && r.tree != t {
		panic(t.tables.misuse("Builder.RewriteInPlace", "instead of "+n.describe()+" nil or a node of the new tree", r.describe()+" of another tree"))
	}
	w.standIns.set(n.index, r.index, w.base)
	w.linked = w.linked || t.tables.targets.has(n.Kind())
	w.pending++
	w.least = min(w.least, n.index)
	if !t.tables.share {
		w.b.scratch.tally.add(n.index, -1)
		if r.index < w.b.counted { // made handles new ones
			w.b.scratch.tally.add(r.index, 1)
		}
	}
}

// patch updates the references of the record at i to the replacements of its children.
func (w *inPlace) patch(plan *refPlan, i uint32) {
	t := w.to
	words, least := t.words, w.least
	for rest := plan.fixed; rest != 0; rest &= rest - 1 {
		if at := i + uint32(bits.TrailingZeros32(rest)); words[at] >= least {
			w.patchRef(i, at)
		}
	}
	switch {
	case plan.other:
		w.refs = t.refs(w.refs[:0], i, plan)
		for _, at := range w.refs {
			if words[at] >= least {
				w.patchRef(i, at)
			}
		}
	case plan.list != nil:
		n, first := t.list(i, plan.list, i+plan.words)
		for k, r := range words[first:][:n] {
			if r >= least {
				w.patchRef(i, first+uint32(k))
			}
		}
	}
}

// patchRef implements patch for the word at, which refers to a record that may be replaced. It
// panics if the word does not accept the replacement.
func (w *inPlace) patchRef(i, at uint32) {
	t := w.to
	to, replaced := w.standIns.get(t.words[at])
	if !replaced {
		return
	}
	if to != 0 {
		if set := t.setOf(i, at); !set.has(uint8(t.words[to])) {
			parent := Node{t, i}
			panic(t.tables.misuse("Builder.RewriteInPlace", "as child of "+parent.describe()+" nil or "+t.tables.oneOf(set), Node{t, to}.describe()))
		}
		w.b.scratch.places.refer(i, to)
	}
	t.words[at] = to
	if w.pending--; w.pending == 0 && !t.tables.share { // with flat:share, other parents may follow
		w.least = nobody
	}
}

// setRoot sets the root of the new tree. It panics if the schema does not allow the root's kind.
func (w *inPlace) setRoot() {
	t := w.to
	to, replaced := w.standIns.get(t.root)
	if !replaced {
		return
	}
	t.root = to
	if root := (Node{t, to}); to != 0 && !t.tables.root.has(root.Kind()) {
		panic(t.tables.misuse("Builder.RewriteInPlace", "as root nil or "+t.tables.oneOf(t.tables.root), root.describe()))
	}
}

// bury sets the references of records that are no longer reachable to nil, so that their former
// children have one parent. It panics if a record has several, and the schema does not have
// flat:share. With flat:share it does nothing.
func (w *inPlace) bury() {
	t, places := w.to, &w.b.scratch.places
	changed := w.changed || !t.whole
	t.whole = w.whole && !changed
	if places.forward {
		t.edit = &edit{forward: true, base: w.base}
	}
	if !changed || t.tables.share {
		return
	}
	s := &w.b.scratch
	_, n, ok := s.tally.dead(t, s)
	t.whole = w.whole && n == 0 && ok
	if !ok { // f gets no record that was dead before the pass, so the one with several parents is reachable
		t.mark("Builder.RewriteInPlace", s) // panics, and names it
	}
}

// finish returns the new tree. The Builder continues with its previous, empty tree.
func (w *inPlace) finish() *Tree {
	b, t, rest := w.b, w.to, w.b.rest
	t.rewriter = nil
	b.scratch.standIns, b.scratch.waiting, b.scratch.refs = w.standIns, w.waiting, w.refs
	b.tree, b.rest = rest, nil
	b.rewriting, b.sharing = false, b.tables.share
	b.start(rest.words, rest.ends, rest.parents)
	return t
}
