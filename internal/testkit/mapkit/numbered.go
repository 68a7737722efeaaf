package mapkit

import (
	"hash/fnv"
	"iter"
	"strconv"
	"strings"
)

// Numbered adapts a map whose values are strings to the tests of this package, which require values
// that are numbers. A number is stored as its digits followed by up to 60 other bytes, so that
// values have different lengths.
type Numbered[K any] struct{ Map[K, string] }

// ValueOf returns the string that stores a number.
func ValueOf(n uint64) string {
	return strconv.FormatUint(n, 10) + strings.Repeat("~", int(n%61))
}

// numberOf returns the number that a string stores. For a string that stores none, it returns a
// hash that no number equals.
func numberOf(s string) uint64 {
	if n, err := strconv.ParseUint(strings.TrimRight(s, "~"), 10, 64); err == nil && ValueOf(n) == s {
		return n
	}
	h := fnv.New64a()
	h.Write([]byte(s)) // which never fails
	return h.Sum64() | 1<<63
}

// Get calls the map's Get, and converts the value to a number.
func (m Numbered[K]) Get(k K) (uint64, bool) {
	v, ok := m.Map.Get(k)
	if !ok {
		return 0, false
	}
	return numberOf(v), true
}

// Set calls the map's Set with the string that stores n.
func (m Numbered[K]) Set(k K, n uint64) { m.Map.Set(k, ValueOf(n)) }

// TrySet calls the map's TrySet with the string that stores n.
func (m Numbered[K]) TrySet(k K, n uint64) error { return m.Map.TrySet(k, ValueOf(n)) }

// All calls the map's All, and converts the values to numbers.
func (m Numbered[K]) All() iter.Seq2[K, uint64] {
	return func(yield func(K, uint64) bool) {
		for k, v := range m.Map.All() {
			if !yield(k, numberOf(v)) {
				return
			}
		}
	}
}
