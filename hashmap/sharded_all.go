package hashmap

import (
	"errors"
	"fmt"
	"iter"

	"github.com/coppice-go/coppice/internal/each"
)

// each calls f with the Map of every shard, one after another. It holds the lock of a shard during
// the call for that shard.
func (s *Sharded[K, V]) each(f func(m *Map[K, V])) {
	for i := range s.shards {
		s.shards[i].read(f)
	}
}

// read calls f with the Map of the shard, and holds the lock during the call. It releases the lock
// even if f panics.
func (sh *shard[K, V]) read(f func(m *Map[K, V])) {
	sh.Hold()
	defer sh.Unlock()
	f(sh.m)
}

// Len returns the number of entries. If other goroutines change the Sharded, the result may not
// match its state at any single time.
func (s *Sharded[K, V]) Len() (n int) {
	s.each(func(m *Map[K, V]) { n += m.Len() })
	return n
}

// Stats returns the total statistics of all shards. If other goroutines change the Sharded, the
// result may not match its state at any single time. Stats may be called during and after Close;
// closed shards add nothing to the totals.
func (s *Sharded[K, V]) Stats() Stats {
	sum := Stats{Verified: len(s.shards) > 0}
	s.each(func(m *Map[K, V]) { sum.add(m.Stats()) })
	return sum
}

// Clone returns a Sharded with the same entries. It copies one shard at a time. A change that
// another goroutine makes in the meantime may or may not be included.
func (s *Sharded[K, V]) Clone() (*Sharded[K, V], error) {
	c := &Sharded[K, V]{shards: make([]shard[K, V], len(s.shards))}
	for i := range s.shards {
		var err error
		var m *Map[K, V]
		s.shards[i].read(func(from *Map[K, V]) { m, err = from.Clone() })
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hashmap.Sharded.Clone: %w", err), c.Close())
		}
		c.begin(i, m)
	}
	return c, nil
}

// Keys yields the keys. It gives the same guarantees as All.
func (s *Sharded[K, V]) Keys() iter.Seq[K] { return each.Key(s.All()) }

// Values yields the values. It gives the same guarantees as All.
func (s *Sharded[K, V]) Values() iter.Seq[V] { return each.Value(s.All()) }

// All yields the entries, in unspecified order. It copies the entries of one page at a time and
// holds no lock while the loop body runs, so the loop and other goroutines may change the Sharded.
// Each entry that is present throughout the loop is yielded once, with the value that it had when
// its page was copied.
func (s *Sharded[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { s.walk("hashmap.Sharded.All", &keyRoom{}, yield) }
}

// AllBytes is like All but does not allocate memory for keys, which must be strings: like
// [Map.AllBytes], it yields each key as bytes that are valid until the next iteration.
func (s *Sharded[K, V]) AllBytes() iter.Seq2[[]byte, V] {
	const where = "hashmap.Sharded.AllBytes"
	s.made(where)
	s.shards[0].m.mustBeText(where)
	return func(yield func([]byte, V) bool) {
		s.walk(where, &keyRoom{lent: true}, func(k K, v V) bool { return each.Lend(bytesOfText(textOf(&k)), v, yield) })
	}
}

// walk yields the entries. It copies the entries of one page at a time, and copies string keys to
// room.
func (s *Sharded[K, V]) walk(where string, room *keyRoom, yield func(K, V) bool) {
	var entries []slot[K, V]
	for i := range s.shards {
		sh := &s.shards[i]
		for from, more := uint64(0), true; more; {
			var r ref
			sh.read(func(m *Map[K, V]) {
				m.use(where)
				r = m.dir[m.index(from)]
				entries = m.appendEntries(entries[:0], r, room)
			})
			for _, e := range entries {
				if !yield(e.key, e.value) {
					return
				}
			}
			from, more = behind(from, r.depth())
		}
	}
}

// Reserve allocates pages for n entries in total, as Map.Reserve does. Each shard gets room for
// slightly more entries than its share, because keys are not distributed evenly. Other goroutines
// may use the Sharded in the meantime. If there is no memory, Reserve returns an error that wraps
// ErrFull, and the entries do not change.
func (s *Sharded[K, V]) Reserve(n int) error {
	const where = "hashmap.Sharded.Reserve"
	s.made(where)
	share := n / len(s.shards)
	for i := range s.shards {
		if err := s.shards[i].reserve(where, share+share/16); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

func (sh *shard[K, V]) reserve(where string, n int) error {
	sh.Lock()
	defer sh.done()
	sh.m.use(where)
	if most := sh.m.most; most > 0 && n > most {
		return fmt.Errorf("%w: %d entries in a shard, but its share of Options.Max is %d", ErrFull, n, most)
	}
	return sh.m.reserve(n)
}

// Clear removes all entries and keeps the memory. Other goroutines may use the Sharded in the
// meantime, because the shards are cleared one after another.
func (s *Sharded[K, V]) Clear() {
	for i := range s.shards {
		s.shards[i].reset()
	}
}

func (sh *shard[K, V]) reset() {
	sh.Lock()
	defer sh.done()
	sh.m.Clear()
}
