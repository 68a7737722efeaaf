package maptest_test

import (
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/maptest"
)

// TestKeysThatChange verifies that the kit detects a map whose All yields strings in the map's own
// memory and whose Clear lets later calls overwrite that memory.
func TestKeysThatChange(t *testing.T) {
	open := func() described {
		m := sorted()
		text := make([]byte, 0, 1<<20)
		set, reset := m.Set, m.Clear
		m.Set = func(k string, v int) {
			at := len(text)
			text = append(text, k...)
			set(unsafe.String(unsafe.SliceData(text[at:]), len(k)), v)
		}
		m.Clear = func() { reset(); text = text[:0] }
		m.GetOrSet, m.Delete = nil, nil
		return m
	}
	if err := maptest.Verify(open, maptest.KeysStay); err == nil {
		t.Error("the test of the promise passes on a map that breaks it")
	}
	if err := maptest.Verify(open, maptest.SetIsFound); err != nil {
		t.Error(err)
	}
}
