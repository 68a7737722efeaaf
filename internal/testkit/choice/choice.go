// Package choice provides the common code of tests that compare a container with a model while
// running random programs: sources of choices, an interface for reporting failures, and conversions
// from numbers to values.
package choice

import (
	"encoding/binary"

	"pgregory.net/rapid"
)

// A T is a test, either of package testing or of rapid.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A Source makes the random choices of a test.
type Source interface {
	Intn(n int) int // at least 0 and less than n
}

// Seeded returns a source whose choices depend only on seed. It is for long tests, for which rapid
// would be too slow.
func Seeded(seed uint64) Source { return &seeded{seed} }

type seeded struct{ x uint64 }

func (s *seeded) Intn(n int) int {
	s.x = s.x*6364136223846793005 + 1442695040888963407
	return int((s.x >> 33) % uint64(n))
}

// Rapid returns a source whose choices are made by rapid. When a test fails, rapid finds a small
// sequence of choices for which it still fails.
func Rapid(t *rapid.T) Source { return drawn{t} }

type drawn struct{ t *rapid.T }

func (s drawn) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "n") }

// Bytes returns a source whose choices are made by a fuzzer. Each choice consumes two bytes of b.
// When no bytes are left, every choice is 0.
func Bytes(b []byte) Source { return &fuzzed{b} }

type fuzzed struct{ b []byte }

func (s *fuzzed) Intn(n int) int {
	if len(s.b) < 2 {
		s.b = nil
		return 0
	}
	x := binary.LittleEndian.Uint16(s.b)
	s.b = s.b[2:]
	return int(x) % n
}

// Numbers converts between numbers and the values of a container. With it, a model can store
// numbers, regardless of the container's value type.
type Numbers[V any] struct {
	Of     func(uint64) V
	Number func(V) uint64
}

// Plain is the identity conversion, for containers whose values are numbers.
var Plain = Numbers[uint64]{func(n uint64) uint64 { return n }, func(v uint64) uint64 { return v }}
