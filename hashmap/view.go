package hashmap

import (
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/texts"
)

// A view holds copies of the fields of a table that a look-up needs. It shares a cache line with
// the lock, so that lock-free readers, and writers of existing keys, have only one cache miss for
// both. Each pointer is loaded atomically. After a reader has loaded a pointer to a small page or a
// directory, the pointer keeps this memory alive. The pointers that a reader loads may belong to
// different states of the table. To detect this, the reader must check the word of the lock.
// Whenever the word shows no change in progress, the view matches the table.
type view struct {
	dir   atomic.Pointer[ref]  // the directory
	base  atomic.Pointer[byte] // start of the pages
	texts atomic.Pointer[byte] // start of the strings
	reach atomic.Uint64        // number of readable bytes from texts on
	shift atomic.Uint64        // as in the table
}

// A keyKind selects the code that looks up a key. It is 0 in the zero Sharded.
type keyKind uint8

const (
	wordKeys keyKind = 1 + iota // 8-byte keys in which all bytes are significant
	textKeys                    // strings
	otherKeys
)

// A shard is one Map of a Sharded, with its lock and its view. It occupies two cache lines, the
// second of which is unused.
type shard[K comparable, V any] struct {
	lock
	view
	m *Map[K, V]
	_ [layout.CacheLine]byte
}

// follow updates the view to match the table. The caller must hold the lock.
func (v *view) follow(t *table) {
	if t.region == nil {
		return // it is closed: there are no more look-ups
	}
	publish(&v.dir, startOf(t.dir))
	publish(&v.base, byteAt(t.base))
	memory := t.heap.Memory()
	publish(&v.texts, startOf(memory))
	if reach := uint64(len(memory)); v.reach.Load() != reach {
		v.reach.Store(reach)
	}
	if shift := uint64(t.shift); v.shift.Load() != shift {
		v.shift.Store(shift)
	}
}

// publish stores p in *to, unless *to already contains it.
func publish[T any](to *atomic.Pointer[T], p *T) {
	if to.Load() != p {
		to.Store(p)
	}
}

// peek looks up *k without the lock. The result is valid only if sure is true, which means that the
// shard was not changed in the meantime.
func (sh *shard[K, V]) peek(kind keyKind, h uint64, k *K) (v V, ok, sure bool) {
	w := sh.word.Load()
	dir, base, memory, reach, shift := sh.dir.Load(), sh.base.Load(), sh.texts.Load(), sh.reach.Load(), sh.shift.Load()
	if !quiet(w) || sh.word.Load() != w {
		return v, false, false
	}
	// dir and shift belong to the same state of the table, so the directory contains this entry.
	r := entryAt(dir, h>>(shift&63))
	if sh.word.Load() != w {
		return v, false, false
	}
	// The entry is valid too. Its page is in the memory at base, which can always be read, but from
	// here on, the page may change.
	var found *V
	if kind == textKeys {
		found = lookText[V](addressOf(base), r, h, bytesFrom(memory, reach), textOf(k))
	} else {
		found = look[K, V](addressOf(base), r, h, k)
	}
	if found != nil {
		v, ok = *found, true
	}
	if whilePeeking != nil {
		whilePeeking()
	}
	return v, ok, sh.word.Load() == w
}

// whilePeeking, if a test has set it, is called between a lock-free read and its validation.
var whilePeeking func()

// at returns the address of the value of *k, whose hash is h, or nil if the key is not present. The
// caller must hold the lock.
func (sh *shard[K, V]) at(kind keyKind, h uint64, k *K) *V {
	r, base := entryAt(sh.dir.Load(), h>>(sh.shift.Load()&63)), addressOf(sh.base.Load())
	if kind == textKeys {
		return lookText[V](base, r, h, bytesFrom(sh.texts.Load(), sh.reach.Load()), textOf(k))
	}
	return look[K, V](base, r, h, k)
}

// look returns the address of the value of *k, whose hash is h, in page r, or nil if the page does
// not contain the key.
func look[K comparable, V any](base address, r ref, h uint64, k *K) *V {
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := groupAt[K, V](base, at, i)
		control := g.control
		for match := withTag(control, tagOf(h)); match != 0; match &= match - 1 {
			if s := &g.slots[match.first()]; s.key == *k {
				return &s.value
			}
		}
		if emptySlots(control) != 0 {
			break
		}
	}
	return nil
}

// lookText is look for string keys. memory is the memory of the string heap.
func lookText[V any](base address, r ref, h uint64, memory []byte, k string) *V {
	at, mask := r.at(), r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := textGroupAt[V](base, at, i)
		control := g.control
		for match := withTag(control, tagOf(h)); match != 0; match &= match - 1 {
			s := match.first()
			if n, from := uint64(len(k)), uint64(g.texts[s])*texts.Unit; from > 0 && n < 1<<7 {
				// For a short string, this comparison gives the same result as EqualIn, without a
				// call. The bounds checks use the length of memory, because the stored length of
				// the string may have changed.
				if from < uint64(len(memory)) && n < uint64(len(memory))-from && memory[from] == byte(n) && string(memory[from+1:from+1+n]) == k {
					return &g.values[s]
				}
			} else if texts.EqualIn(memory, g.texts[s], k) {
				return &g.values[s]
			}
		}
		if emptySlots(control) != 0 {
			break
		}
	}
	return nil
}

// done publishes the changes of the shard to readers and then releases the lock.
func (sh *shard[K, V]) done() {
	sh.follow(&sh.m.table)
	sh.Unlock()
}
