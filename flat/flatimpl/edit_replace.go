package flatimpl

import "math/bits"

// Replace finds the parent of a node without a table of all parents. Where children come before
// their parents, most parents follow their children closely and are found by searching the next
// records. All other parents are in a hash table: the parents of nodes that are followed by large
// siblings, of items of long lists, and of nodes that were created or moved later. When a node
// first needs the table, one pass over the whole tree fills it. docs/decisions/0024 explains the
// choice.

// nearby is the number of words after a record in which Replace searches for the record's parent
// before it uses the table.
const nearby = 64

// Replace replaces a child in its parent: it changes the reference to old so that it refers to now,
// which may be nil. It reports whether there was a reference to old. The schema must not have
// flat:share. Replace panics if no Builder is editing the tree, or if the setter for this reference
// would panic.
func (t *Tree) Replace(old, now Node) bool {
	const method = "Tree.Replace"
	switch {
	case !t.isOpen():
		name := t.tables.schema.name + "." + method
		t.checkFreed(name)
		panic(name + ": no Builder is editing the tree; call Edit first")
	case old.index == 0:
		panic(t.tables.misuse(method, "a node to replace", "nil"))
	case old.tree != t:
		panic(t.tables.misuse(method, "a node of this tree to replace", old.describe()+" of another tree"))
	}
	b := t.edit.b
	b.settle()
	if !t.hasParent(old.index) {
		return false
	}
	p, ok := b.far.of(t, old.index)
	if !ok {
		return false
	}
	stale := b.far.stale
	Node{t, p.record}.SetRef(p.at-p.record, now, t.setOf(p.record, p.at), method)
	b.far.stale = stale // learn adds the new reference
	p.child = now.index
	b.far.learn(p)
	return true
}

// A farPlace is the location of a reference: the word with index at, in the record at index record,
// refers to the record at index child.
type farPlace struct{ child, record, at uint32 }

// isFar reports whether the place is too far from the child to be found by farPlaces.near.
func (p farPlace) isFar() bool { return p.record-p.child >= nearby }

// A farPlaces is a hash table of places, with the child as the key. A reference may have changed
// since its place was added. But a word that was a reference remains a reference while the tree is
// edited, so that its current value shows whether the place is still valid.
type farPlaces struct {
	places []farPlace // open addressing; the length is a power of two
	used   int
	swept  uint32 // unchanged references in records before this index are in places; 0 in a new edit
	stale  bool   // setters have changed references since the first record was swept
	refs   []uint32
}

// leastFar is the initial size of the hash table.
const leastFar = 64

// of returns the place that refers to the record at c, which must have a parent. ok is false if
// there is none.
func (f *farPlaces) of(t *Tree, c uint32) (p farPlace, ok bool) {
	if p, ok = f.near(t, c); ok {
		return p, true
	}
	if p, ok = f.get(t, c); ok {
		return p, true
	}
	for range 2 {
		f.sweep(t)
		if p, ok = f.get(t, c); ok || !f.stale {
			return p, ok
		}
		f.swept = 1 // a setter may have moved the reference to a word that was swept before
	}
	return farPlace{}, false
}

// near searches for the place that refers to the record at c in the records that begin less than 64
// words (nearby) after c.
func (f *farPlaces) near(t *Tree, c uint32) (farPlace, bool) {
	end := uint32(len(t.words))
	for i := c + t.size(c); i-c < nearby && i < end; i += t.size(i) {
		if plan := &t.tables.refs[uint8(t.words[i])]; plan.some {
			if at := f.find(t, i, plan, c); at != 0 {
				return farPlace{c, i, at}, true
			}
		}
	}
	return farPlace{}, false
}

// find searches the record at i for the word that refers to the record at c, and returns the index
// of the word, or 0 if there is none.
func (f *farPlaces) find(t *Tree, i uint32, plan *refPlan, c uint32) uint32 {
	if plan.other {
		f.refs = t.refs(f.refs[:0], i, plan)
		for _, at := range f.refs {
			if t.words[at] == c {
				return at
			}
		}
		return 0
	}
	for rest := plan.fixed; rest != 0; rest &= rest - 1 {
		if at := i + uint32(bits.TrailingZeros32(rest)); t.words[at] == c {
			return at
		}
	}
	if plan.list != nil {
		n, first := t.list(i, plan.list, i+plan.words)
		for k, r := range t.words[first:][:n] {
			if r == c {
				return first + uint32(k)
			}
		}
	}
	return 0
}

// sweep adds the places of the references in all records that no earlier sweep has read.
func (f *farPlaces) sweep(t *Tree) {
	if f.swept == 0 {
		if f.used > 0 {
			clear(f.places)
			f.used = 0
		}
		f.swept = 1
	}
	if f.swept == 1 {
		f.stale = false
	}
	words, end, i := t.words, uint32(len(t.words)), f.swept
	for ; i < end; i += t.size(i) {
		plan := &t.tables.refs[uint8(words[i])]
		if plan.other {
			f.refs = t.refs(f.refs[:0], i, plan)
			for _, at := range f.refs {
				f.learn(farPlace{words[at], i, at})
			}
			continue
		}
		for rest := plan.fixed; rest != 0; rest &= rest - 1 {
			at := i + uint32(bits.TrailingZeros32(rest))
			f.learn(farPlace{words[at], i, at})
		}
		if plan.list != nil {
			n, first := t.list(i, plan.list, i+plan.words)
			for k, r := range words[first:][:n] {
				f.learn(farPlace{r, i, first + uint32(k)})
			}
		}
	}
	f.swept = i
}

// learn adds a place. It does nothing if the place is near the child, or if the table is not in use
// yet because sweep has not been called.
func (f *farPlaces) learn(p farPlace) {
	if p.child != 0 && p.isFar() && f.swept != 0 {
		f.put(p)
	}
}

// put stores a place, and replaces an earlier place of the same child.
func (f *farPlaces) put(p farPlace) {
	if 2*f.used >= len(f.places) {
		old := f.places
		f.places = make([]farPlace, max(leastFar, 2*len(old)))
		for _, o := range old {
			if o.child != 0 {
				*f.slot(o.child) = o
			}
		}
	}
	slot := f.slot(p.child)
	if slot.child == 0 {
		f.used++
	}
	*slot = p
}

// slot returns the slot of the place that refers to the record at c, or the free slot where that
// place belongs.
func (f *farPlaces) slot(c uint32) *farPlace {
	mask := uint32(len(f.places) - 1)
	for k := c * 0x9e3779b1 >> 7 & mask; ; k = (k + 1) & mask {
		if p := &f.places[k]; p.child == c || p.child == 0 {
			return p
		}
	}
}

// get returns the place that refers to the record at c, if the place is known and still refers to
// c.
func (f *farPlaces) get(t *Tree, c uint32) (farPlace, bool) {
	if f.swept == 0 || f.used == 0 {
		return farPlace{}, false
	}
	p := *f.slot(c)
	return p, p.child == c && t.words[p.at] == c
}
