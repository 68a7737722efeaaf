package hashmap

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/texts"
)

// A textMap is a map from strings to byte strings. It consists of a heap that contains the values,
// and of an index, a Map from keys to the numbers of the values in the heap. It does not depend on
// the types of a Texts, so it is compiled only once. In the heap, a value is preceded by the hash
// of its key. When the heap moves the value, nameOf uses this hash to find the slot that refers to
// the value. The number of the empty value is 0.
type textMap struct {
	guard  checks.Guard
	index  *Map[string, uint32]
	values *texts.Heap
}

// newTextMap returns an empty textMap. See open for the meaning of where and skip.
func newTextMap(where string, o Options, seed uint64, skip int) (*textMap, error) {
	index, err := open[string, uint32](where, o, seed, skip+1)
	if err != nil {
		return nil, err
	}
	return textMapOf(index), nil
}

// textMapOf returns a textMap with the given index, which must have memory, and an empty heap of
// values.
func textMapOf(index *Map[string, uint32]) *textMap {
	m := &textMap{index: index}
	m.own(texts.Open(0, index.huge, index.account))
	return m
}

// own makes values the heap of the textMap, and registers the textMap as its owner, so that the
// heap can move the values.
func (m *textMap) own(values *texts.Heap) {
	m.values = values
	values.Owner = m.nameOf
}

// nameOf finds the slot that refers to the value with the given number. It returns the address at
// which the slot stores the number, or nil if the index has no such slot. value contains the bytes
// of the value in the heap, which begin with the hash of its key.
func (m *textMap) nameOf(value []byte, number uint32) *uint32 {
	if len(value) < texts.HeadBytes {
		return nil
	}
	x, h := m.index, binary.LittleEndian.Uint64(value)
	r := x.dir[x.table.index(h)]
	mask := r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := textGroupAt[uint32](x.base, r.at(), i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			if s := match.first(); g.values[s] == number {
				return &g.values[s]
			}
		}
		if emptySlots(g.control) != 0 {
			break
		}
	}
	return nil
}

// use panics if the textMap is closed or was never opened.
func (m *textMap) use(where string) {
	if m == nil {
		panic(where + ": the map was not made by NewTexts, OpenTextsFile or Clone")
	}
	m.index.use(where)
}

// hashOf returns the hash of the key k.
func (m *textMap) hashOf(k string) uint64 { return m.index.hash.String(k) }

// at returns the bytes of the value with the given number. The next change of the textMap may move
// or overwrite them.
func (m *textMap) at(number uint32) []byte {
	b, _ := m.values.Bytes(number)
	if len(b) < texts.HeadBytes {
		return nil // the empty value, or an invalid one in a damaged file
	}
	return b[texts.HeadBytes:]
}

// get returns the bytes of the value of k, whose hash is h, and reports whether k is present.
func (m *textMap) get(h uint64, k string) ([]byte, bool) {
	n := m.index.findText(h, k)
	if n == nil {
		return nil, false
	}
	return m.at(*n), true
}

// put sets the value of k, whose hash is h. If it fails, the textMap does not change.
func (m *textMap) put(h uint64, k string, value []byte) error {
	to := m.index.findText(h, k)
	m.index.changes++ // loops look again, because entries may move
	if to != nil && *to != 0 {
		if now := m.at(*to); len(now) == len(value) && len(value) > 0 {
			copy(now, value)
			return nil
		}
	}
	if most := m.index.most; to == nil && most > 0 && m.index.length >= most {
		return fmt.Errorf("%w: it has %d entries, which is Options.Max", ErrFull, m.index.length)
	}
	number, err := m.store(h, value)
	if err != nil {
		return err
	}
	if to == nil {
		if err := m.add(h, k, number); err != nil {
			m.values.Free(number)
			return err
		}
		return nil
	}
	old := *to
	*to = number
	m.values.Free(old)
	return nil
}

// add is like core.add, but k does not escape, so the string that encodes a struct key can stay on
// the stack.
func (m *textMap) add(h uint64, k string, value uint32) error {
	x := m.index
	group, s, used, err := x.freeSlot(h)
	if err != nil {
		return err
	}
	i := x.table.index(h)
	number, err := x.heap.PutLocal(k)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	g := textGroupAt[uint32](x.base, x.dir[i].at(), group)
	g.control, g.texts[s], g.values[s] = setByte(g.control, s, tagOf(h)), number, value
	x.left[x.first(i)] -= used
	x.length++
	return nil
}

// store adds a value to the heap and returns its number. h is the hash of its key.
func (m *textMap) store(h uint64, value []byte) (uint32, error) {
	if len(value) == 0 {
		return 0, nil
	}
	number, err := m.values.PutHeaded(h, value)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrFull, err)
	}
	return number, nil
}

// remove removes k, whose hash is h, and reports whether it was present.
func (m *textMap) remove(h uint64, k string) bool {
	found := m.index.findText(h, k)
	if found == nil {
		return false
	}
	number := *found
	m.index.remove(h, &k)
	m.values.Free(number)
	return true
}

// walk yields the entries, like Map.All. Keys are copies. Values are not: they are in the memory of
// the heap.
func (m *textMap) walk(where string, yield func(k string, value []byte) bool) {
	m.index.walk(where, func(k string, number uint32) bool { return yield(k, m.at(number)) })
}

// reset removes all entries.
func (m *textMap) reset(where string) {
	m.index.table.reset(where)
	m.values.Reset()
}

// isClosed reports whether the textMap was opened and has been closed.
func (m *textMap) isClosed() bool { return m != nil && m.index.region == nil }

// close releases all memory.
func (m *textMap) close() error {
	if m == nil || m.isClosed() {
		return nil
	}
	return errors.Join(m.index.Close(), m.values.Close())
}

// clone returns a textMap with the same entries.
func (m *textMap) clone() (*textMap, error) {
	index, err := m.index.clone(2)
	if err != nil {
		return nil, err
	}
	c := textMapOf(index)
	values, err := m.values.Clone(index.account)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrFull, err), c.close())
	}
	c.own(values)
	return c, nil
}

// verify checks every entry. The textMap is shard number shard, from 0, of the given number of
// shards. isKey reports whether a string is the encoding of a key.
func (m *textMap) verify(where string, shard uint64, shards int, isKey func(string) bool) (err error) {
	if err := m.index.verify(where, shard, shards); err != nil {
		return err
	}
	checker := m.values.NewChecker()
	m.index.walkTexts(where, func(key []byte, number uint32) bool {
		k := stringOf(key)
		b, ok := m.values.Bytes(number)
		switch {
		case !isKey(k):
			err = errors.New("a key is impossible for its type")
		case !ok:
			err = fmt.Errorf("there is no value %d", number)
		case number != 0 && (len(b) <= texts.HeadBytes || binary.LittleEndian.Uint64(b) != m.hashOf(k)):
			err = fmt.Errorf("value %d belongs to another key", number)
		default:
			err = checker.Text(number)
		}
		return err == nil
	})
	if err == nil {
		err = checker.Dead()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// TextsStats describes the memory of a Texts.
type TextsStats struct {
	Stats             // statistics of the keys and value numbers; Committed includes values
	ValueBytes uint64 // bytes of values, including deleted ones, with 9 or more added for each
	DeadBytes  uint64 // the part of ValueBytes in deleted and replaced values, which is reused
}

func (m *textMap) stats() TextsStats {
	s := TextsStats{Stats: m.index.table.stats(), ValueBytes: m.values.Used(), DeadBytes: m.values.Dead()}
	s.Committed += uint64(m.values.Committed())
	return s
}
