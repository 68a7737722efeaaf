package btree

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/coppice-go/coppice/internal/called"
	"github.com/coppice-go/coppice/internal/each"
)

// A reader implements the methods that read a Map or a Snapshot. It contains a view of the tree,
// and describes how its keys are converted to words.
type reader[K, V any] struct {
	view    *view
	form    form
	order   func(a, b K) int // nil unless keys are compared by a function
	changes *uint64          // change count of the map or the snapshot
}

// probeOf returns the probe that is used to search a tree for a key.
func (r *reader[K, V]) probeOf(k *K) (p probe) {
	switch {
	case r.order != nil:
		own, order := *k, r.order // allocates; without the copy, k would escape for keys of all types
		p.compare = func(at address) int { return order(own, *comparedKey[K](at)) }
	case r.form.text:
		p.text = bytesOf(textOf(k))
	default:
		p.word = wordOf(&r.form, k)
	}
	return p
}

// get implements Map.Get and Snapshot.Get.
func (r *reader[K, V]) get(k K) (v V, ok bool) {
	if r.view.mode == words64 {
		if n, at, ok := r.view.find64(wordOf(&r.form, &k)); ok {
			return *valueAt[V](n, &r.view.shape, at), true
		}
		return v, false
	}
	p := r.probeOf(&k)
	n, at, ok := r.view.lookUp(&p)
	if ok {
		v = *valueAt[V](n, &r.view.shape, at)
	}
	return v, ok
}

// A walk is the state of an iteration. It divides the entries into runs. The entries of a run are
// adjacent in one leaf, in ascending order. The loop over the entries of a run is in the function
// that starts the iteration (reader.ascending), so that the compiler can inline it, together with
// the loop body, at the range statement. If the loop body changes the map, the walk searches for
// its position again, and continues after the last key that it yielded.
type walk[K, V any] struct {
	keys    []K // keys of the run
	values  []V
	changes *uint64 // change count of the map or the snapshot
	seen    uint64  // value of *changes when the cursor was last set

	r       *reader[K, V]
	c       cursor
	i, end  int  // entries not yet in a run: i to end-1 or, if descending, i to 0 (then i is -1)
	final   bool // whether this leaf is the last one
	bounded bool
	to      probe
	leaves  uint32 // number of leaves visited, which is limited in case the file is damaged
	batch   *batch // copies of keys; nil if the loop reads all keys from the nodes
}

// The directions of a walk.
const (
	forward  = false
	backward = true
)

// A span describes the entries that a loop visits, in ascending or descending order. If hasFrom is
// true, the loop begins at the key in the field from, or at the next key in its direction;
// otherwise it begins at the first or last entry. If bounded is true, an ascending loop ends before
// the key in the field to.
type span[K any] struct {
	from, to         K
	hasFrom, bounded bool
}

// A batch holds copies of the next keys of a loop, for key types that the loop cannot read directly
// from the node. String keys are copied to the Go heap together, with one allocation for up to 64
// keys.
type batch struct {
	words       [batchKeys]uint64 // memory for numeric keys of any type
	keys        [batchKeys]string // string keys, whose bytes are in text
	used        int               // number of elements of keys in use
	text        string
	ends        [batchKeys + 1]int
	first, last int // range of the copied keys in the leaf; last is exclusive
	size        int // number of keys to copy next; starts small, so that a short walk copies little
	bytes       []byte
	lent        bool // whether keys refer to bytes, which the next copy overwrites
}

const (
	batchBytes = 4 << 10 // size in bytes at which a batch ends
	batchKeys  = 64
)

// batches holds the batches that are not in use by a walk, so that they can be reused. A walk that
// panics does not return its batch.
var batches = sync.Pool{New: func() any { return new(batch) }}

// done clears a batch and returns it to batches. b may be nil.
func (b *batch) done() {
	if b != nil {
		clear(b.keys[:b.used]) // otherwise the keys would keep the strings alive
		b.text, b.first, b.last, b.size, b.used, b.lent = "", 0, 0, 0, 0, false
		if cap(b.bytes) > 2*batchBytes {
			b.bytes = nil // do not keep the memory of a long key that AllBytes yielded
		}
		batches.Put(b)
	}
}

// grow returns the number of keys to copy next, which increases with each call up to batchKeys.
func (b *batch) grow() int {
	b.size = min(max(1, 8*b.size), batchKeys)
	return b.size
}

// fill copies the next keys of a leaf to the batch. It starts at index i and moves forward or, if
// down is true, backward, within the indexes low to high-1.
func (b *batch) fill(v *view, n node, i, low, high int, down bool) {
	size := b.grow()
	if down {
		low, high = max(low, i+1-size), i+1
	} else {
		low, high = i, min(high, i+size)
	}
	if !b.copy(v, n, low, high) {
		low, high = i, i+1
		b.copy(v, n, low, high)
	}
	b.first, b.last = low, high
	b.used = max(b.used, high-low)
	for j := range high - low {
		b.keys[j] = b.text[b.ends[j]:b.ends[j+1]]
	}
}

// copy copies keys low to high-1 of a leaf to the batch, and reports whether their total size is
// within the limit.
func (b *batch) copy(v *view, n node, low, high int) bool {
	start, text, places := v.start(n), b.bytes[:0], n.places(&v.shape)[low:high]
	memory := v.heap.From(n.block(&v.shape).ref, 0)
	for j, w := range n.keys64(v.leafCap)[low:high] {
		text = binary.BigEndian.AppendUint64(append(text, start...), w)
		if isWhole(w) {
			text = text[:len(text)-8+int(w&0xFF)]
		} else if at := int(places[j]); at < len(memory) && memory[at] < longTail && int(memory[at]) < len(memory)-at {
			text = append(text[:len(text)-1], memory[at+1:at+1+int(memory[at])]...)
		} else {
			tail, _ := v.tail(n, low+j)
			text = append(text[:len(text)-1], tail...)
		}
		if len(text) > batchBytes && high > low+1 {
			if b.lent {
				b.bytes = text // append may have moved text to new memory
			}
			return false
		}
		b.ends[j+1] = len(text)
	}
	b.bytes = text
	if b.lent {
		b.text = stringOf(text)
		return true
	}
	b.text = string(text)
	if len(text) > batchBytes {
		b.bytes = nil // do not keep the memory of a long key
	}
	return true
}

// start sets the cursor to the first entry that a loop over a span visits; the loop is descending
// if down is true.
func (w *walk[K, V]) start(r *reader[K, V], s span[K], down bool) {
	v := r.view
	w.r, w.changes, w.seen = r, r.changes, *r.changes
	if s.bounded {
		w.bounded, w.to = true, r.probeOf(&s.to)
	}
	if v.root == 0 {
		w.i, w.final = -b2i(down), true
		return
	}
	if !s.hasFrom {
		w.enter(v.edge(&w.c, -1, down), down)
		return
	}
	p := r.probeOf(&s.from)
	count, found := v.descend(&w.c, &p)
	w.c.path[v.height].at -= b2i(down && !found)
	w.enter(count, down)
}

// startUp starts an ascending walk, and startDown a descending walk.
func (w *walk[K, V]) startUp(r *reader[K, V], s span[K])   { w.start(r, s, forward) }
func (w *walk[K, V]) startDown(r *reader[K, V], s span[K]) { w.start(r, s, backward) }

// enter makes the leaf at the cursor the current leaf of the walk.
func (w *walk[K, V]) enter(count int, down bool) {
	v := w.r.view
	leaf := w.c.path[v.height]
	w.i, w.end = leaf.at, count
	if w.bounded && !down {
		w.end = v.bound(v.node(leaf.node), count, &w.to)
		w.final = w.end < count
	}
	w.visit()
}

// up prepares the next run of an ascending loop, and reports whether there is one.
func (w *walk[K, V]) up() bool {
	if !w.settle(forward) {
		return false
	}
	v := w.r.view
	w.i = w.run(v.node(w.c.path[v.height].node), w.i, w.end, forward)
	return true
}

// down prepares the next run of a descending loop, and reports whether there is one.
func (w *walk[K, V]) down() bool {
	if !w.settle(backward) {
		return false
	}
	v := w.r.view
	w.i -= w.run(v.node(w.c.path[v.height].node), 0, w.i+1, backward)
	return true
}

// settle moves to the next leaf with entries if the walk has visited all entries of the current
// leaf. It returns false if the walk has reached its end.
func (w *walk[K, V]) settle(down bool) bool {
	v := w.r.view
	for down && w.i < 0 {
		if w.final || !v.before(&w.c) {
			return false
		}
		w.enter(0, backward)
	}
	for !down && w.i >= w.end {
		if w.final {
			return false
		}
		count, ok := v.next(&w.c)
		if !ok {
			return false
		}
		w.enter(count, forward)
	}
	return true
}

// run prepares a run from entries low to high-1 of a leaf. The run may contain only some of these
// entries: the first ones or, if the loop is descending, the last ones. For an ascending loop, run
// returns the index at which the run ends; for a descending loop, it returns the run's length.
func (w *walk[K, V]) run(n node, low, high int, down bool) int {
	v, f := w.r.view, &w.r.form
	values := valuesOf[V](n, &v.shape, high)
	switch {
	case v.mode == compared || v.mode == words64 && f.flip == 0 && !f.float: // the node contains the keys
		w.keys = keysOf[K](n, high)[low:]
	case v.mode == stringed:
		b := w.made()
		if down {
			b.fill(v, n, high-1, low, high, backward)
		} else {
			b.fill(v, n, low, low, high, forward)
		}
		low, high = b.first, b.last
		w.keys = textKeys[K](b.keys[:high-low])
	default:
		b := w.made()
		size := b.grow()
		if down {
			low = max(low, high-size)
		} else {
			high = min(high, low+size)
		}
		room := b.words[:high-low]
		w.keys = numberKeys[K](room)
		if w.r.whole() {
			for i, word := range n.keys64(high)[low:] {
				room[i] = word ^ f.flip
			}
			break
		}
		for i := range w.keys {
			w.keys[i] = w.r.numberAt(n, low+i)
		}
	}
	w.values = values[low:high]
	if down {
		return high - low
	}
	return high
}

// made returns the batch of the walk. If the walk has no batch yet, made takes one from batches.
func (w *walk[K, V]) made() *batch {
	if w.batch == nil {
		w.batch = batches.Get().(*batch)
	}
	return w.batch
}

// whole reports whether keys are 8-byte integers.
func (r *reader[K, V]) whole() bool { return r.view.mode == words64 && !r.form.float }

// numberAt returns key i of a leaf. The keys must be numbers.
func (r *reader[K, V]) numberAt(n node, i int) K {
	if r.view.mode == words32 {
		return keyOf[K](&r.form, uint64(n.keys32(r.view.leafCap)[i]))
	}
	return keyOf[K](&r.form, n.keys64(r.view.leafCap)[i])
}

// keyAt returns key i of a leaf. It allocates if the key is a string.
func (r *reader[K, V]) keyAt(n node, i int) K {
	v := r.view
	switch v.mode {
	case compared:
		return *comparedKey[K](n.keyAt(&v.shape, i))
	case stringed:
		start, word := v.start(n), n.keys64(v.leafCap)[i]
		var tail []byte
		if !isWhole(word) {
			tail, _ = v.tail(n, i)
		}
		var room [64]byte
		return textKey[K](string(appendKey(room[:0], start, word, tail)))
	default:
		return r.numberAt(n, i)
	}
}

// again is called after the loop body has changed the map. It sets the cursor to the position after
// key k, or before it in a descending loop. It panics if the loop body has closed the map or the
// snapshot.
func (w *walk[K, V]) again(k K, down bool) {
	v := w.r.view
	w.seen = *w.changes
	if v.top == 0 {
		panic(called.Method() + ": the map or the snapshot was closed inside a loop over it")
	}
	if v.root == 0 { // the map has no entries left
		w.i, w.end, w.final = -b2i(down), 0, true
		return
	}
	p := w.r.probeOf(&k)
	count, found := v.descend(&w.c, &p)
	if down {
		w.c.path[v.height].at--
	} else {
		w.c.path[v.height].at += b2i(found)
	}
	w.leaves = 0
	w.enter(count, down)
}

// upAgain calls walk.again for an ascending loop, and downAgain for a descending loop.
func (w *walk[K, V]) upAgain(k K)   { w.again(k, forward) }
func (w *walk[K, V]) downAgain(k K) { w.again(k, backward) }

// done ends a walk, so that its batch can be reused.
func (w *walk[K, V]) done() {
	if w.batch != nil {
		w.batch.done()
	}
}

// bound returns the number of keys in a leaf that are less than the probe to. The leaf has count
// keys; if to is nil, bound returns count.
func (v *view) bound(n node, count int, to *probe) int {
	if to == nil || count == 0 {
		return count
	}
	if v.mode == stringed { // words can be compared only if the bound is between two keys of the leaf
		if v.compareKey(n, count-1, to.text) < 0 {
			return count
		}
		if v.compareKey(n, 0, to.text) >= 0 {
			return 0
		}
	}
	at, _ := v.find(n, count, to)
	return at
}

// visit counts the leaves that a walk has visited. It panics if the walk has visited more leaves
// than the tree has nodes, so that a walk terminates even in a damaged file.
func (w *walk[K, V]) visit() {
	if w.leaves++; w.leaves > w.r.view.top {
		damaged("a node is in two places; leaves visited:", w.leaves)
	}
}

// ascending returns an iterator over the entries of a span, in ascending order. Each exported
// method wraps the iterator in its own closure, so that the stack trace of a panic in the loop body
// shows the method. The compiler inlines all closures and the loop body at the range statement,
// because a closure that is called in only one place has ten times the inlining budget of a
// function.
func (r *reader[K, V]) ascending(s span[K]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var w walk[K, V]
		w.startUp(r, s)
	loop:
		for w.up() {
			keys, values := w.keys, w.values
			for i, k := range keys {
				if !yield(k, values[i]) {
					break loop
				}
				if *w.changes != w.seen {
					w.upAgain(k)
					break
				}
			}
		}
		w.done()
	}
}

// descending is like ascending, in descending order.
func (r *reader[K, V]) descending(s span[K]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var w walk[K, V]
		w.startDown(r, s)
	loop:
		for w.down() {
			keys, values := w.keys, w.values
			for i := len(keys) - 1; i >= 0; i-- {
				k := keys[i]
				if !yield(k, values[i]) {
					break loop
				}
				if *w.changes != w.seen {
					w.downAgain(k)
					break
				}
			}
		}
		w.done()
	}
}

// lendUp yields all entries, with string keys as bytes that are valid until the next iteration.
// Each exported method wraps lendUp in its own closure, so that the stack trace of a panic in the
// loop body shows the method.
func (r *reader[K, V]) lendUp(yield func([]byte, V) bool) {
	var w walk[K, V]
	w.batch = batches.Get().(*batch)
	w.batch.lent = true
	w.startUp(r, span[K]{})
loop:
	for w.up() {
		keys, values := w.keys, w.values
		for i := range keys {
			if !each.Lend(bytesOf(textOf(&keys[i])), values[i], yield) {
				break loop
			}
			if *w.changes != w.seen {
				w.upAgain(keys[i])
				break
			}
		}
	}
	w.done()
}

// mustBeText panics if keys are not strings.
func (r *reader[K, V]) mustBeText(where string) {
	if !r.form.text {
		panic(where + ": keys are not strings; use All")
	}
}

// first returns the first entry that a loop over a span visits; the loop is descending if down is
// true.
func (r *reader[K, V]) first(s span[K], down bool) (k K, v V, ok bool) {
	var w walk[K, V]
	w.start(r, s, down)
	if !w.settle(down) {
		return k, v, false
	}
	n := r.view.node(w.c.path[r.view.height].node)
	return r.keyAt(n, w.i), *valueAt[V](n, &r.view.shape, w.i), true
}
