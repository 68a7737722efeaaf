package hashmap

import (
	"fmt"
	"reflect"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/texts"
)

// Verify checks every entry. It returns an error that wraps ErrInvalid for a key that is
// unreachable or duplicated, a string that is missing or shared by two keys, a bool that is neither
// true nor false, or a wrong count. It takes about 100 ns per entry, and uses one bit of Go heap
// memory for every four bytes of strings. It does not change the Map.
func (m *Map[K, V]) Verify() error {
	if err := m.verify("hashmap.Map.Verify", 0, 1); err != nil {
		return fmt.Errorf("hashmap.Map.Verify: %w", err)
	}
	return nil
}

// verify implements Verify. The Map is shard number shard, from 0, of the given number of shards.
// The parameter where names the function that the user called, for panic messages.
func (m *Map[K, V]) verify(where string, shard uint64, shards int) error {
	m.use(where)
	v := verifier[K, V]{m: m, shard: shard, shards: shards, texts: m.heap.NewChecker(), keyBools: image.BoolsOf(reflect.TypeFor[K]()), valueBools: image.BoolsOf(reflect.TypeFor[V]())}
	for i := uint64(0); i < uint64(len(m.dir)); i += m.width(m.dir[i]) {
		if err := v.page(i); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if v.entries != m.length {
		return fmt.Errorf("%w: it has %d entries, but %d are recorded", errDamaged, v.entries, m.length)
	}
	if err := v.texts.Dead(); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// A verifier stores the state of a call to verify, which checks the pages of a Map one after
// another.
type verifier[K comparable, V any] struct {
	m                    *Map[K, V]
	shard                uint64 // index of the Map among the shards
	shards               int
	keyBools, valueBools image.Bools
	entries              int
	texts                *texts.Checker
}

// page checks the page to which directory entry i refers. Entry i must be the first entry that
// refers to the page.
func (v *verifier[K, V]) page(i uint64) error {
	m, r, unused := v.m, v.m.dir[i], uint32(0)
	for group := range r.mask() + 1 {
		control := *controlAt(m.base, r.at(), group, m.groupBytes)
		for s := range slots {
			switch c := byteOf(control, s); {
			case c == empty:
				unused++
			case c == deleted:
			case c > 0x7F:
				return fmt.Errorf("a control byte of page %d is %#x", i, c)
			default:
				if err := v.entry(i, group, s, c); err != nil {
					return err
				}
			}
		}
	}
	// At least an eighth of the slots must be empty, so that searches terminate.
	if spare := uint32(slots<<r.log()) - room(r.log()); m.left[i] > 0 && m.left[i]+spare > unused {
		return fmt.Errorf("page %d has %d empty slots, but %d are recorded as usable", i, unused, m.left[i])
	}
	return nil
}

// entry checks the entry in slot s of a group. i is the index of the directory entry for its page,
// and tag is the control byte of the slot.
func (v *verifier[K, V]) entry(i, group uint64, s int, tag uint8) error {
	m, at := v.m, v.m.dir[i].at()
	v.entries++
	var key K
	var value *V
	if m.text {
		g := textGroupAt[V](m.base, at, group)
		b, ok := m.heap.Bytes(g.texts[s])
		if !ok {
			return fmt.Errorf("page %d: there is no text %d", i, g.texts[s])
		}
		if err := v.texts.Text(g.texts[s]); err != nil {
			return fmt.Errorf("page %d: %w", i, err)
		}
		key, value = keyOfText[K](stringOf(b)), &g.values[s] // not a copy: the Map does not change in the meantime
	} else {
		e := &groupAt[K, V](m.base, at, group).slots[s]
		if !v.keyBools.Valid(bytesOfValue(&e.key)) {
			return fmt.Errorf("page %d: a bool of a key is neither true nor false", i)
		}
		key, value = e.key, &e.value
	}
	if !v.valueBools.Valid(bytesOfValue(value)) {
		return fmt.Errorf("page %d: a bool of a value is neither true nor false", i)
	}
	if key != key {
		return nil // a key such as NaN, which a search never finds
	}
	h := m.hashOf(&key)
	if shardOf(h, v.shards) != v.shard {
		return fmt.Errorf("page %d: a key belongs to shard %d", i, shardOf(h, v.shards))
	}
	if found := m.find(h, &key); m.dir[m.index(h)] != m.dir[i] || tagOf(h) != tag || found != value && sizeOf[V]() > 0 {
		return fmt.Errorf("page %d: a key is where no search finds it, or twice", i)
	}
	return nil
}
