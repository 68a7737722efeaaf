package btree

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/coppice-go/coppice/internal/called"
	"github.com/coppice-go/coppice/internal/each"
)

// A reader is what maps and snapshots have in common: a view, and what its keys are.
type reader[K, V any] struct {
	view    *view
	form    form
	order   func(a, b K) int // nil unless keys are compared
	changes *uint64          // of the tree
}

// probeOf returns a key as something to look for.
func (r *reader[K, V]) probeOf(k *K) (p probe) {
	switch {
	case r.order != nil:
		own, order := *k, r.order // an allocation, which k itself would be with all kinds of keys
		p.compare = func(at address) int { return order(own, *comparedKey[K](at)) }
	case r.form.text:
		p.text = bytesOf(textOf(k))
	default:
		p.word = wordOf(&r.form, k)
	}
	return p
}

// get is Get of both.
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

// A walk is an iteration. If the loop changes the map, it looks for its place again after the last key that it has seen.
type walk[K, V any] struct {
	r      *reader[K, V]
	c      cursor
	seen   uint64 // the tree's changes when the cursor was set
	leaves uint32 // that were visited, to end in a damaged file
	batch  *batch // of keys that are strings
}

// A batch is the next keys that are strings, copied to the Go heap at once: one allocation for up to 64 of them.
type batch struct {
	text        string
	ends        [mostEntries + 1]int
	first, last int // places in the leaf; last is not in it
	size        int // how many to copy next, so that a short walk copies little
	bytes       []byte
	lent        bool // keys stay in bytes, until the next ones are copied
}

const (
	batchBytes = 4 << 10 // a batch ends there
	batchKeys  = 64
)

// batches are those that no walk uses. A walk that panics does not give its own back.
var batches = sync.Pool{New: func() any { return new(batch) }}

// done gives a batch back.
func (b *batch) done() {
	if b != nil {
		b.text, b.first, b.last, b.size, b.lent = "", 0, 0, 0, false
		if cap(b.bytes) > 2*batchBytes {
			b.bytes = nil // of a long key that was lent
		}
		batches.Put(b)
	}
}

// fill copies the keys of a leaf around place i, which lie between low and high, forward or backward.
func (b *batch) fill(v *view, n node, i, low, high int, down bool) {
	b.size = min(max(1, 8*b.size), batchKeys)
	if down {
		low, high = max(low, i+1-b.size), i+1
	} else {
		low, high = i, min(high, i+b.size)
	}
	if !b.copy(v, n, low, high) {
		low, high = i, i+1
		b.copy(v, n, low, high)
	}
	b.first, b.last = low, high
}

// copy copies the keys of a leaf from low to high, and reports whether there were not too many bytes.
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
				b.bytes = text // which grew
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
		b.bytes = nil // a long key is kept by those who have it
	}
	return true
}

// key returns key i of a leaf, of those between low and high.
func (w *walk[K, V]) key(n node, i, low, high int, down bool) K {
	v := w.r.view
	switch v.mode {
	case words64:
		return keyOf[K](&w.r.form, n.keys64(v.leafCap)[i])
	case words32:
		return keyOf[K](&w.r.form, uint64(n.keys32(v.leafCap)[i]))
	case stringed:
		b := w.batch
		if i < b.first || i >= b.last {
			b.fill(v, n, i, low, high, down)
		}
		i -= b.first
		return textKey[K](b.text[b.ends[i]:b.ends[i+1]])
	default:
		return *comparedKey[K](n.keyAt(&v.shape, i))
	}
}

// forget drops the batch, because the walk goes to another leaf.
func (w *walk[K, V]) forget() {
	if w.batch != nil {
		w.batch.first, w.batch.last = 0, 0
	}
}

// begin sets the cursor to the first key of at least from, or of all.
func (w *walk[K, V]) begin(from *probe) (count int) {
	v := w.r.view
	w.seen = *w.r.changes
	w.forget()
	if from == nil {
		return v.edge(&w.c, -1, false)
	}
	count, _ = v.descend(&w.c, from)
	return count
}

// again sets the cursor behind key k, after a change.
func (w *walk[K, V]) again(k *K) (count int, found bool) {
	p := w.r.probeOf(k)
	w.seen = *w.r.changes
	w.forget()
	count, found = w.r.view.descend(&w.c, &p)
	w.c.path[w.r.view.height].at += b2i(found)
	return count, found
}

// ended looks whether a map that the loop has changed has any entry left, and panics if the loop has closed it, or the snapshot.
func (w *walk[K, V]) ended() bool {
	if w.r.view.top == 0 {
		panic(called.Method() + ": the map or the snapshot was closed inside a loop over it")
	}
	return w.r.view.root == 0
}

// bound returns how many keys of a leaf are less than to.
func (v *view) bound(n node, count int, to *probe) int {
	if to == nil || count == 0 {
		return count
	}
	if v.mode == stringed { // words are of use only between the keys of the leaf
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

// visit counts leaves.
func (w *walk[K, V]) visit() {
	if w.leaves++; w.leaves > w.r.view.top {
		damaged("a node is in two places; leaves visited:", w.leaves)
	}
}

// up yields the entries from one key up to but without another.
func (w *walk[K, V]) up(from, to *probe, yield func(K, V) bool) {
	v := w.r.view
	if v.root == 0 {
		return
	}
	count, ok := w.begin(from), true
	for ; ok; count, ok = v.next(&w.c) {
		w.visit()
		for {
			leaf := w.c.path[v.height]
			n := v.node(leaf.node)
			end := v.bound(n, count, to)
			k, more, changed := w.leafUp(n, leaf.at, end, yield)
			if !more || changed && w.ended() {
				return
			}
			if !changed {
				if end < count {
					return
				}
				break
			}
			w.leaves = 0
			count, _ = w.again(&k)
		}
		w.forget()
	}
}

// leafUp yields entries of a leaf, until the loop ends, which makes more false, or changes the map after key k.
func (w *walk[K, V]) leafUp(n node, i, end int, yield func(K, V) bool) (k K, more, changed bool) {
	v, seen, changes := w.r.view, w.seen, w.r.changes
	if v.mode == words64 && !w.r.form.float {
		flip, words, values := w.r.form.flip, n.keys64(end), valuesOf[V](n, &v.shape, end)
		for ; i < len(words) && i < len(values); i++ {
			k = integerOf[K](words[i] ^ flip)
			if !yield(k, values[i]) {
				return k, false, false
			}
			if *changes != seen {
				return k, true, true
			}
		}
		return k, true, false
	}
	if v.mode == stringed {
		return w.textsUp(n, i, end, yield)
	}
	for ; i < end; i++ {
		k = w.key(n, i, i, end, false)
		if !yield(k, *valueAt[V](n, &v.shape, i)) {
			return k, false, false
		}
		if *changes != seen {
			return k, true, true
		}
	}
	return k, true, false
}

// textsUp is leafUp for keys that are strings.
func (w *walk[K, V]) textsUp(n node, i, end int, yield func(K, V) bool) (k K, more, changed bool) {
	v, seen, changes, b := w.r.view, w.seen, w.r.changes, w.batch
	for i < end {
		b.fill(v, n, i, i, end, false)
		text, values := b.text, valuesOf[V](n, &v.shape, b.last)
		from := 0
		for j, to := range b.ends[1 : b.last-b.first+1] {
			k = textKey[K](text[from:to])
			if !yield(k, values[i+j]) {
				return k, false, false
			}
			if *changes != seen {
				return k, true, true
			}
			from = to
		}
		i = b.last
	}
	return k, true, false
}

// down yields the entries from one key, or from the last, in descending order.
func (w *walk[K, V]) down(from *probe, yield func(K, V) bool) {
	v := w.r.view
	if v.root == 0 {
		return
	}
	w.seen = *w.r.changes
	if from == nil {
		v.edge(&w.c, -1, true)
	} else if _, found := v.descend(&w.c, from); !found {
		w.c.path[v.height].at--
	}
	for ok := true; ok; ok = v.before(&w.c) {
		w.visit()
		for {
			leaf := w.c.path[v.height]
			k, more, changed := w.leafDown(v.node(leaf.node), leaf.at, yield)
			if !more || changed && w.ended() {
				return
			}
			if !changed {
				break
			}
			w.leaves = 0
			_, found := w.again(&k)
			w.c.path[v.height].at -= b2i(found) + 1
		}
		w.forget()
	}
}

// leafDown is leafUp in descending order, from entry i on, which is -1 if there is none.
func (w *walk[K, V]) leafDown(n node, i int, yield func(K, V) bool) (k K, more, changed bool) {
	v, changes, seen := w.r.view, w.r.changes, w.seen
	if v.mode == words64 && !w.r.form.float {
		flip, words, values := w.r.form.flip, n.keys64(i+1), valuesOf[V](n, &v.shape, i+1)
		for ; uint(i) < uint(len(words)) && uint(i) < uint(len(values)); i-- {
			k = integerOf[K](words[i] ^ flip)
			if !yield(k, values[i]) {
				return k, false, false
			}
			if *changes != seen {
				return k, true, true
			}
		}
		return k, true, false
	}
	for end := i + 1; i >= 0; i-- {
		k = w.key(n, i, 0, end, true)
		if !yield(k, *valueAt[V](n, &v.shape, i)) {
			return k, false, false
		}
		if *changes != seen {
			return k, true, true
		}
	}
	return k, true, false
}

// walkUp yields the entries from one key, or from the first, up to but without another, or to the end. A method that returns a loop
// wraps it in a closure of its own: a panic in the loop finds the name there.
func (r *reader[K, V]) walkUp(from, to *K, yield func(K, V) bool) {
	w := walk[K, V]{r: r}
	if r.view.mode == stringed {
		w.batch = batches.Get().(*batch)
	}
	var low, high *probe
	if from != nil {
		p := r.probeOf(from)
		low = &p
	}
	if to != nil {
		p := r.probeOf(to)
		high = &p
	}
	w.up(low, high, yield)
	w.batch.done()
}

// lendUp yields all entries with keys that are strings as bytes, which stay until the next step. It is wrapped as walkUp is.
func (r *reader[K, V]) lendUp(yield func([]byte, V) bool) {
	b := batches.Get().(*batch)
	b.lent = true
	w := walk[K, V]{r: r, batch: b}
	w.up(nil, nil, func(k K, v V) bool { return each.Lend(bytesOf(textOf(&k)), v, yield) })
	b.done()
}

// mustBeText panics if keys are not strings.
func (r *reader[K, V]) mustBeText(where string) {
	if !r.form.text {
		panic(where + ": keys are not strings; use All")
	}
}

// walkDown yields the entries from one key, or from the last, in descending order. It is wrapped as walkUp is.
func (r *reader[K, V]) walkDown(from *K, yield func(K, V) bool) {
	w := walk[K, V]{r: r}
	if r.view.mode == stringed {
		w.batch = batches.Get().(*batch)
	}
	var high *probe
	if from != nil {
		p := r.probeOf(from)
		high = &p
	}
	w.down(high, yield)
	w.batch.done()
}

// first returns the first entry of a sequence.
func first[K, V any](entries iter.Seq2[K, V]) (k K, v V, ok bool) {
	for k, v := range entries {
		return k, v, true
	}
	return k, v, false
}
