package flatimpl

import (
	"math/bits"
	"slices"
)

// A pass is the main step of a rewrite. It calls a function f for the records of a tree, in buffer
// order, in which children come before their parents. The tree is a copy of the original, or the
// original itself in a rewrite in place. Records do not move during a pass: the records themselves
// are passed to f, and new records are appended. When the pass reaches a record whose child was
// replaced, it updates the reference before it calls f. A record that is not affected by a change
// therefore costs only a check of its kind.
type pass struct {
	b        *Builder
	method   string // Rewrite or RewriteInPlace, for panic messages
	source   *Tree  // the tree that is copied; in place, the new tree itself
	to       *Tree
	kinds    Kinds
	live     []uint64  // a bit for each reachable record; nil if all are reachable
	base     uint32    // index of the first word of new records
	ahead    uint32    // the words before this one were copied
	least    uint32    // records before this index are not replaced, or their parents were updated; the constant nobody if no record is pending
	pending  int       // number of replaced records whose parent was not updated yet
	changed  bool      // some records may be unreachable or have several parents
	counted  bool      // the Builder's tally covers all references that differ from source
	linked   bool      // a record to which links may lead was replaced
	standIns *standIns // the replacements of records
	waiting  []waitingLink
	refs     []uint32 // indexes of the words of a record that are references or links
}

// nobody is an index at which no record begins.
const nobody = allBits

// begin starts the pass, in the memory that the Builder keeps for it.
func (w *pass) begin() {
	b, s, to := w.b, &w.b.scratch, w.to
	to.whole, to.rewriter = true, b
	w.base, w.least = uint32(len(to.words)), nobody
	w.standIns, w.waiting, w.refs = &s.standIns, s.waiting[:0], s.refs
	w.standIns.reset()
	s.tally.reset(w.counted && w.source != w.to)
	s.places.start(w.base)
	b.done = len(to.words)
}

// roomy returns s with capacity for one more item. It doubles the capacity if necessary. append
// would increase the capacity of a long slice in smaller steps, and would therefore allocate and
// clear more memory in total.
func roomy[T any](s []T) []T {
	const least = 64
	if len(s) == cap(s) {
		s = slices.Grow(s, max(len(s), least))
	}
	return s
}

// keep returns the memory of the pass to the Builder, for the next rewrite.
func (w *pass) keep() {
	s := &w.b.scratch
	s.waiting, s.refs = w.waiting, w.refs
}

// run visits all records. f is not a field of w, so that it does not escape. run returns false if
// the Builder is full.
func (w *pass) run(f func(Node) Node) bool {
	source, live, end := w.source, w.live, w.base
	words, plans, sizes, linked := source.words, &source.tables.refs, &source.tables.sizes, source.tables.linked
	for i := uint32(1); i < end; {
		kind := uint8(words[i])
		next := i + guess(sizes[kind])
		if next == i {
			next += source.size(i)
		}
		if next <= i || next > end {
			panic(changedFile)
		}
		if live != nil && live[i/64]>>(i%64)&1 == 0 {
			i = next
			continue
		}
		if next > w.ahead {
			w.copy(next)
		}
		plan := &plans[kind]
		if w.least != nobody && plan.some {
			w.patch(plan, i)
		}
		if linked && (plan.links != 0 || plan.farLinks) {
			w.takeLinks(plan, i)
		}
		if w.kinds.has(kind) {
			if !w.visit(f, i, next) {
				return false
			}
			words = source.words
		}
		i = next
	}
	return true
}

// changedFile is the panic message for words that a validated tree cannot contain. They occur only
// if the tree is mapped and its file was changed.
const changedFile = "flatimpl.Builder.Rewrite: the mapped file was changed"

// copy copies the next words of the old tree to the new one, at least up to the index next.
func (w *pass) copy(next uint32) {
	end := min(max(next, w.ahead+pieceWords), w.base)
	copy(w.to.words[w.ahead:end], w.source.words[w.ahead:end])
	w.ahead = end
}

// visit calls f for the record at i, which ends at index next, and replaces it with the result.
// It returns false if the Builder is full.
func (w *pass) visit(f func(Node) Node, i, next uint32) bool {
	b, to, n := w.b, w.to, Node{w.to, i}
	end := len(to.words)
	b.done, b.counted = end, uint32(end)
	b.scratch.places.visit(uint32(end), i, next)
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
		if w.counted {
			b.scratch.tally.made(to, uint32(end), r.index)
			if b.scratch.tally.early {
				b.scratch.tally.settle(to, w.standIns)
			}
		}
	}
	b.scratch.places.visited(uint32(len(to.words)))
	return true
}

// replace records that r replaces n. It panics if r is a node of a different tree.
func (w *pass) replace(n, r Node) {
	t := w.to
	if r.index != 0 && r.tree != t {
		panic(t.tables.misuse("Builder."+w.method, "nil or a node of the new tree to replace "+n.describe(), r.describe()+" of another tree"))
	}
	w.standIns.set(n.index, r.index, w.base)
	w.linked = w.linked || t.tables.targets.has(n.Kind())
	w.pending++
	w.least = min(w.least, n.index)
	if w.counted {
		w.b.scratch.tally.replaced(n.index)
		if r.index < w.b.counted { // tally.made handles new records
			w.b.scratch.tally.add(r.index, 1)
		}
	}
}

// patch makes the references of the record at i refer to the replacements of its children.
func (w *pass) patch(plan *refPlan, i uint32) {
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

// patchRef implements patch for the reference in the word with index at, whose target may have been
// replaced. It panics if the reference does not accept the replacement.
func (w *pass) patchRef(i, at uint32) {
	t := w.to
	to, replaced := w.standIns.get(t.words[at])
	if !replaced {
		return
	}
	if to != 0 {
		if set := t.setOf(i, at); !set.has(uint8(t.words[to])) {
			parent := Node{t, i}
			panic(t.tables.misuse("Builder."+w.method, "nil or "+t.tables.oneOf(set)+" as a child of "+parent.describe(), Node{t, to}.describe()))
		}
		w.b.scratch.places.refer(i, to)
	}
	t.words[at] = to
	if w.pending--; w.pending == 0 && !t.tables.share { // with flat:share, other parents may follow
		w.least = nobody
	}
}

// setRoot sets the root of the new tree. It panics if the schema does not allow the root's kind.
func (w *pass) setRoot() {
	t := w.to
	to, replaced := w.standIns.get(t.root)
	if !replaced {
		return
	}
	t.root = to
	if root := (Node{t, to}); to != 0 && !t.tables.root.has(root.Kind()) {
		panic(t.tables.misuse("Builder."+w.method, "nil or "+t.tables.oneOf(t.tables.root)+" as the root", root.describe()))
	}
}

// setOf returns the set of kinds that the reference or link in the word with index at, in the
// record at i, accepts. The set is empty if the word contains neither a reference nor a link.
func (t *Tree) setOf(i, at uint32) *Kinds {
	s := &t.tables.shapes[uint8(t.words[i])]
	if set := t.setIn(i, i+s.words, at, s.slots); set != nil {
		return set
	}
	return new(Kinds)
}

// setIn implements setOf for the slots of the block at i, whose lists start at the index end. It
// returns nil if the word contains neither a reference nor a link.
func (t *Tree) setIn(i, end, at uint32, slots []slot) *Kinds {
	for k := range slots {
		l := &slots[k]
		if (l.op == opRef || l.op == opLink) && i+l.off == at {
			return l.set
		}
		var n, first uint32
		switch l.op {
		case opList:
			n, first = t.list(i, l, end)
			end = first + uint32(words(uint64(n), l.item))
		case opNested:
			n, first = t.nested(i, l)
		default:
			continue
		}
		if size := l.item / 32; size > 0 && len(l.slots) > 0 {
			if last := first + n*size; at >= first && at < last {
				return t.setIn(first+(at-first)/size*size, last, at, l.slots)
			}
			for ; l.far && n > 0; n-- {
				if set := t.setIn(first, first, at, l.slots); set != nil {
					return set
				}
				first += size
			}
		}
	}
	return nil
}
