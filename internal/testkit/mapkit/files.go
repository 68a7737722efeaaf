package mapkit

import (
	"errors"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// Bits flips bits of a file that is opened with verification, and truncates a file that is opened
// without verification. It expects an error each time.
func Bits[M Map[string, uint64]](t *testing.T, kind Kind[string, M]) {
	path := kind.saved(t, 100, Text)
	damage.FlipBits(t, path, damage.StepOf(), func() error { return kind.Container(true).Open(path) })
	damage.CutOff(t, path, func() error { return kind.Container(false).Open(path) })
}

// Own opens a file with n entries, changes the map and saves it under the same name, several times.
// The file must not change before Save.
func Own[M Map[string, uint64]](t *testing.T, kind Kind[string, M], n int) {
	path := kind.saved(t, n, Text)
	for round := range uint64(3) {
		m, err := kind.Open(path, true)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := m.Get(Text(1)); !ok || v != round+1 {
			t.Fatalf("round %d: %d, %v", round, v, ok)
		}
		m.Set(Text(1), 99)
		m.Set("new", 99)
		other, err := kind.Open(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := other.Get("new"); ok {
			t.Fatal("a change is in the file")
		}
		m.Set(Text(1), round+2)
		m.Delete("new")
		if err := errors.Join(m.Save(path), m.Close(), other.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Verified checks that a map that was opened from a file reports whether the file was verified.
func Verified[M Map[uint64, uint64]](t *testing.T, kind Kind[uint64, M]) {
	path := kind.saved(t, 100, Number)
	for _, verify := range []bool{false, true} {
		m, err := kind.Open(path, verify)
		if err != nil {
			t.Fatal(err)
		}
		if s := kind.Stats(m); s.Verified != verify || s.Len != 90 { // a tenth was deleted
			t.Errorf("with Verify: %t it has %+v", verify, s)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
