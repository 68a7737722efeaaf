package flatimpl

import "errors"

// RewriteInPlace is like Rewrite but takes over the memory of the given tree. This tree is freed,
// even if the rewrite fails. Records do not move, and records that f creates are appended.
// References may therefore point forward in the result, as in a tree that was edited.
// docs/decisions/0034 explains the choice.
func (b *Builder) RewriteInPlace(from *Tree, kinds *Kinds, f func(Node) Node) (*Tree, error) {
	const method = "RewriteInPlace"
	b.checkTake(method, from)
	if from.edit != nil {
		ordered := from.inOrder()
		from.drop()
		from = ordered
	}
	whole := from.isWhole()
	w := pass{b: b, method: method, kinds: *kinds, counted: !b.tables.share}
	w.take(from)
	defer b.endInPlace(w.to)
	if !whole {
		w.live, _ = w.to.mark("", &b.scratch)
	}
	if !w.run(f) {
		return nil, b.err
	}
	w.setRoot()
	w.setWaiting()
	w.bury(whole)
	return w.finishInPlace(), nil
}

// checkTake panics if the Builder or the tree is not ready for a rewrite in place. The message
// contains the given method name.
func (b *Builder) checkTake(method string, from *Tree) {
	b.checkReady(method, from)
	name := b.tables.schema.name + ".Builder." + method
	if from.fixed() {
		panic(name + ": the tree is mapped or belongs to a forest, and is read-only; give it to Rewrite, or a Clone of it to " + method)
	}
	from.checkClosed(name)
}

// take creates a tree from the words and strings of another tree, which it frees. The Builder
// continues with the new tree.
func (w *pass) take(from *Tree) {
	b := w.b
	w.to = &Tree{words: from.words, ends: from.ends, text: from.text, root: from.root, nodes: from.nodes, tables: from.tables}
	w.source, w.ahead = w.to, uint32(len(from.words))
	from.drop()
	b.rest, b.tree = b.tree, w.to
	b.rewriting, b.sharing = w.method, true
	w.begin()
	b.count()
	b.strings.reset() // equal strings made by f are stored once
}

// endInPlace is deferred by RewriteInPlace. If the rewrite did not finish, because the Builder is
// full or f panicked, it discards the tree. A panic then continues.
func (b *Builder) endInPlace(to *Tree) {
	b.rewriting, b.sharing = "", b.tables.share
	b.scratch.places.base = 0
	if b.tree != to {
		return
	}
	p := recover()
	if r, is := p.(refusal); is {
		p = errors.New(r.Error()) // formats the message while the tree still exists
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

// bury sets to nil the references of records that are no longer reachable, so that their former
// children have at most one parent. It panics if a record has several parents, and the schema does
// not have flat:share. With flat:share, it changes no references.
//
// The parameter whole states whether all records were reachable before the rewrite.
func (w *pass) bury(whole bool) {
	t, places := w.to, &w.b.scratch.places
	changed := w.changed || !t.whole
	t.whole = whole && !changed
	if places.forward {
		t.edit = &edit{forward: true, base: w.base}
	}
	if !changed || t.tables.share {
		return
	}
	s := &w.b.scratch
	_, n, ok := s.tally.unreferenced(t, s, w.standIns)
	t.whole = whole && n == 0 && ok
	if !ok { // f gets no previously dead record, so the record with several parents is reachable
		t.mark("Builder.RewriteInPlace", s) // panics and names the record
	}
}

// finishInPlace returns the new tree. The Builder continues with its previous, empty tree.
func (w *pass) finishInPlace() *Tree {
	b, t, rest := w.b, w.to, w.b.rest
	t.rewriter = nil
	w.keep()
	b.tree, b.rest = rest, nil
	b.rewriting, b.sharing = "", b.tables.share
	b.start(rest.words, rest.ends, rest.parents)
	return t
}
