// Package choice contains code that is shared by the tests that run random programs against a
// model: sources of choices, the interface for failures, and values derived from numbers.
package choice

import (
	"encoding/binary"

	"pgregory.net/rapid"
)

// A T is a test of the testing package or of rapid.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A Source makes choices.
type Source interface {
	Intn(n int) int // at least 0 and less than n
}

// Seeded returns a long sequence of choices that depend only on the seed. It is for tests in which
// choices made by rapid would take too much time.
func Seeded(seed uint64) Source { return &seeded{seed} }

type seeded struct{ x uint64 }

func (s *seeded) Intn(n int) int {
	s.x = s.x*6364136223846793005 + 1442695040888963407
	return int((s.x >> 33) % uint64(n))
}

// Rapid returns choices made by rapid, which minimizes them when a test fails.
func Rapid(t *rapid.T) Source { return drawn{t} }

type drawn struct{ t *rapid.T }

func (s drawn) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "n") }

// Bytes returns choices made by a fuzzer, each from two bytes, and 0 after the last byte.
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

// Numbers converts numbers to values and back, so that a model has the same values for every value
// type of a container.
type Numbers[V any] struct {
	Of     func(uint64) V
	Number func(V) uint64
}

// Plain uses the numbers themselves as values.
var Plain = Numbers[uint64]{func(n uint64) uint64 { return n }, func(v uint64) uint64 { return v }}
