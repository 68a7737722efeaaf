package hashmap

import (
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/texts"
)

// A view is what a look-up needs of a table. It is in the line of the lock, so that readers without
// the lock and those who set what is there wait for one line of memory. Its pointers are whole at
// any time, and keep small pages and directories alive for who has loaded them. They may be of two
// moments: only the word of the lock tells. The view fits the table whenever that word is quiet.
type view struct {
	dir   atomic.Pointer[ref]  // the directory
	base  atomic.Pointer[byte] // where pages are
	texts atomic.Pointer[byte] // where texts are
	reach atomic.Uint64        // how many bytes there can be read
	shift atomic.Uint64        // as in the table
}

// A keyKind is how keys are looked up. That of a Sharded that nobody made is 0.
type keyKind uint8

const (
	wordKeys keyKind = 1 + iota // of 8 bytes, all of which count
	textKeys                    // strings
	otherKeys
)

// A shard is one of the Maps: two lines of memory, of which the second is unused.
type shard[K comparable, V any] struct {
	lock
	view
	m *Map[K, V]
	_ [layout.CacheLine]byte
}

// follow makes the view fit the table, whose lock the caller has.
func (v *view) follow(t *table) {
	if t.region == nil {
		return // it is closed: nobody looks
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

// publish stores a pointer that has changed.
func publish[T any](to *atomic.Pointer[T], p *T) {
	if to.Load() != p {
		to.Store(p)
	}
}

// peek looks a key up without the lock. What it returns is right if it is sure: if nobody changed
// the shard meanwhile.
func (sh *shard[K, V]) peek(kind keyKind, h uint64, k *K) (v V, ok, sure bool) {
	w := sh.word.Load()
	dir, base, memory, reach, shift := sh.dir.Load(), sh.base.Load(), sh.texts.Load(), sh.reach.Load(), sh.shift.Load()
	if !quiet(w) || sh.word.Load() != w {
		return v, false, false
	}
	// They are of one moment, so the directory has the entry.
	r := entryAt(dir, h>>(shift&63))
	if sh.word.Load() != w {
		return v, false, false
	}
	// So is that, and the page is in the memory that the base names, which can be read for ever. It
	// may change from here on.
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

// whilePeeking is what a test does after a reader without the lock has looked, and before it finds
// out whether it saw one moment.
var whilePeeking func()

// at returns where the value of a key is, or nil. The caller has the lock.
func (sh *shard[K, V]) at(kind keyKind, h uint64, k *K) *V {
	r, base := entryAt(sh.dir.Load(), h>>(sh.shift.Load()&63)), addressOf(sh.base.Load())
	if kind == textKeys {
		return lookText[V](base, r, h, bytesFrom(sh.texts.Load(), sh.reach.Load()), textOf(k))
	}
	return look[K, V](base, r, h, k)
}

// look returns where the value of a key is in a page, or nil.
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

// lookText is look for keys that are strings, whose texts are in the memory of a heap.
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
				// EqualIn of a short text, without a call. The bounds are those of the memory, and
				// not what a length in it says: that may be another one by now.
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

// done gives the lock back, after it has told readers what was changed.
func (sh *shard[K, V]) done() {
	sh.follow(&sh.m.table)
	sh.Unlock()
}
