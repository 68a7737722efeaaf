package hashmap

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// Damaged files of any kind, most of them under right sums, are refused with an error of files, or open. Then everything that is
// done with the map ends. If all of it was verified the map is one: it has what it says, and remains so whatever is done.
func TestMutatedFiles(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { mutated(t, number) })
	t.Run("string", func(t *testing.T) { mutated(t, text) })
	t.Run("odd", func(t *testing.T) {
		mutated(t, func(i int) odd {
			return odd{A: uint8(i), B: float32(i / 512), C: [2]uint8{uint8(i >> 3)}, D: i&256 > 0}
		})
	})
}

func mutated[K comparable](t *testing.T, key func(int) K) {
	var sound []string
	var entries []map[K]uint64
	sound = slices.Grow(sound, 5)
	entries = slices.Grow(entries, 5)
	for _, n := range []int{0, 1, 30, 300, 2500} {
		sound = append(sound, saved(t, n, key, uint64(1)))
		m, err := OpenFile[K, uint64](sound[len(sound)-1], Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := entriesOf(m)
		if err := errors.Join(err, m.Close()); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, all)
	}
	damage.Mutate(t, damage.Format{Sound: sound, Seal: damage.SealImage, Try: func(file damage.Mutant) error {
		m, err := OpenFile[K, uint64](file.Path, Options{})
		if err != nil {
			return ofFiles(err)
		}
		use(m, key, 200)
		if err := m.Close(); err != nil {
			return err
		}
		if m, err = OpenFile[K, uint64](file.Path, Options{Verify: true}); err != nil {
			return ofFiles(err)
		}
		all, err := entriesOf(m)
		if err == nil && !file.Sealed && !sameEntries(all, entries[file.Origin]) {
			err = errors.New("the sums are right, and the entries are others")
		}
		if err == nil {
			err = behaves(m, all, key)
		}
		return errors.Join(err, m.Close())
	}})
}

// ofFiles returns an error that does not say what is wrong with a file.
func ofFiles(err error) error {
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrMismatch) {
		return nil
	}
	return fmt.Errorf("refused with another error: %w", err)
}

// entriesOf returns what a map has, and an error if it contradicts itself.
func entriesOf[K comparable](m *Map[K, uint64]) (map[K]uint64, error) {
	all := make(map[K]uint64)
	nans := 0
	for k, v := range m.All() {
		if k != k {
			nans++
			continue
		}
		if _, ok := all[k]; ok {
			return nil, fmt.Errorf("key %v comes twice", k)
		}
		if got, ok := m.Get(k); !ok || got != v {
			return nil, fmt.Errorf("key %v has value %d in a loop, and Get says %d, %t", k, v, got, ok)
		}
		all[k] = v
	}
	if len(all)+nans != m.Len() {
		return nil, fmt.Errorf("%d keys, and Len is %d", len(all)+nans, m.Len())
	}
	return all, nil
}

func sameEntries[K comparable](a, b map[K]uint64) bool {
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return len(a) == len(b)
}

// behaves changes a map that was verified, and compares with Go's.
func behaves[K comparable](m *Map[K, uint64], want map[K]uint64, key func(int) K) error {
	src := &lcg{uint64(len(want))}
	for i := range 600 {
		k := key(src.intn(3000))
		if i%3 == 0 {
			_, ok := want[k]
			if m.Delete(k) != ok {
				return fmt.Errorf("Delete of %v is not %t", k, ok)
			}
			delete(want, k)
			continue
		}
		if err := m.TrySet(k, uint64(i)); errors.Is(err, ErrFull) {
			return nil // a file may say that its texts have all the room there is
		} else if err != nil {
			return err
		}
		want[k] = uint64(i)
	}
	all, err := entriesOf(m)
	if err == nil && !sameEntries(all, want) {
		err = errors.New("after changes the entries are others than Go's map has")
	}
	return errors.Join(err, m.Verify())
}
