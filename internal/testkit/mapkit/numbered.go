package mapkit

import (
	"hash/fnv"
	"iter"
	"strconv"
	"strings"
)

// Numbered adapts a map with string values to the tests of this package, which use numbers as
// values. A number is stored as its decimal digits, padded with up to 60 other bytes, so that
// values have different lengths.
type Numbered[K any] struct{ Map[K, string] }

// ValueOf returns the string that represents the number n.
func ValueOf(n uint64) string {
	return strconv.FormatUint(n, 10) + strings.Repeat("~", int(n%61))
}

// numberOf returns the number that a string represents. For any other string, it returns a hash
// that differs from all numbers in use.
func numberOf(s string) uint64 {
	if n, err := strconv.ParseUint(strings.TrimRight(s, "~"), 10, 64); err == nil && ValueOf(n) == s {
		return n
	}
	h := fnv.New64a()
	h.Write([]byte(s)) // which never fails
	return h.Sum64() | 1<<63
}

// Get calls the Get method of the map and converts the value to a number.
func (m Numbered[K]) Get(k K) (uint64, bool) {
	v, ok := m.Map.Get(k)
	if !ok {
		return 0, false
	}
	return numberOf(v), true
}

// Set calls the Set method of the map with the string that represents n.
func (m Numbered[K]) Set(k K, n uint64) { m.Map.Set(k, ValueOf(n)) }

// TrySet calls the TrySet method of the map with the string that represents n.
func (m Numbered[K]) TrySet(k K, n uint64) error { return m.Map.TrySet(k, ValueOf(n)) }

// All calls the All method of the map and converts the values to numbers.
func (m Numbered[K]) All() iter.Seq2[K, uint64] {
	return func(yield func(K, uint64) bool) {
		for k, v := range m.Map.All() {
			if !yield(k, numberOf(v)) {
				return
			}
		}
	}
}
