package mapkit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A Mutation describes the files that Mutate damages, and how it uses them.
type Mutation[K comparable, M Map[K, uint64]] struct {
	Kind[K, M]
	Key   func(int) K
	Most  int           // entries of the largest file
	Use   func(M)       // calls all methods of a map that may be damaged
	Order func(M) error // additional checks of a valid map's entries; nil for none
}

// Mutate damages files of a map, most of which then get correct checksums. A file must either be
// rejected with the right error or be opened. All operations on an opened map must terminate. If
// the map was verified, it must also behave correctly, even after changes.
func Mutate[K comparable, M Map[K, uint64]](t *testing.T, c Mutation[K, M]) {
	var sound []string
	var entries []map[K]uint64
	sound = slices.Grow(sound, 5)
	entries = slices.Grow(entries, 5)
	for _, n := range []int{0, 1, 30, 300, c.Most} {
		sound = append(sound, c.saved(t, n, c.Key))
		m, err := c.Open(sound[len(sound)-1], false)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.entries(m)
		if err := errors.Join(err, m.Close()); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, all)
	}
	damage.Mutate(t, damage.Format{Sound: sound, Seal: damage.SealImage, Try: func(file damage.Mutant) error {
		m, err := c.Open(file.Path, false)
		if err != nil {
			return c.ofFiles(err)
		}
		c.Use(m)
		if err := m.Close(); err != nil {
			return err
		}
		if m, err = c.Open(file.Path, true); err != nil {
			return c.ofFiles(err)
		}
		all, err := c.entries(m)
		if err == nil && !file.Sealed && !maps.Equal(all, entries[file.Origin]) {
			err = errors.New("the sums are right, and the entries are others")
		}
		if err == nil {
			err = c.behaves(m, all)
		}
		return errors.Join(err, m.Close())
	}})
}

// ofFiles returns an error if err is not one of the errors that a map returns for an unusable file.
func (c Mutation[K, M]) ofFiles(err error) error {
	if errors.Is(err, c.Invalid) || errors.Is(err, c.Mismatch) {
		return nil
	}
	return fmt.Errorf("refused with another error: %w", err)
}

// entries returns the entries of a map. It omits entries whose keys are not equal to themselves,
// such as NaN. It returns an error if the methods of the map contradict each other.
func (c Mutation[K, M]) entries(m M) (map[K]uint64, error) {
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
	if c.Order == nil {
		return all, nil
	}
	return all, c.Order(m)
}

// behaves makes random changes to a verified map, and compares it with a Go map.
func (c Mutation[K, M]) behaves(m M, want map[K]uint64) error {
	src := choice.Seeded(uint64(len(want)))
	for i := range 600 {
		k := c.Key(src.Intn(c.Most + 500))
		if i%3 == 0 {
			_, ok := want[k]
			if m.Delete(k) != ok {
				return fmt.Errorf("a delete of %v is not %t", k, ok)
			}
			delete(want, k)
			continue
		}
		if err := m.TrySet(k, uint64(i)); errors.Is(err, c.Full) {
			return nil // a file may claim that its strings take all the room
		} else if err != nil {
			return err
		}
		want[k] = uint64(i)
	}
	all, err := c.entries(m)
	if err == nil && !maps.Equal(all, want) {
		err = errors.New("after changes the entries are others than Go's map has")
	}
	return errors.Join(err, m.Verify())
}
