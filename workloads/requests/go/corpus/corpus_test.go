package corpus

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestSheets verifies that the sheets are the same every time, that all are different, and that
// their sizes match the specification.
func TestSheets(t *testing.T) {
	seen := map[string]bool{}
	small, large, total := 0, 0, 0
	for i, s := range First(2 * Count) {
		again := New(i)
		if !bytes.Equal(s.Source, again.Source) || !bytes.Equal(s.Answer, again.Answer) || seen[string(s.Source)] {
			t.Fatalf("sheet %d is doubled or new", i)
		}
		seen[string(s.Source)] = true
		size := len(s.Source)
		if size < least || size > greatest+300 || !json.Valid(s.Answer) {
			t.Errorf("sheet %d has %d bytes, and the answer %s", i, size, s.Answer)
		}
		total += size
		if size < 4<<10 {
			small++
		}
		if size > 32<<10 {
			large++
		}
	}
	if len(seen) != Count || small < Count/8 || large < Count/8 {
		t.Errorf("%d sheets, %d of them small and %d large", len(seen), small, large)
	}
	t.Logf("the sheets have %d bytes on average", total/Count)
}

func TestFirstMakesNoMoreThanAreSent(t *testing.T) {
	if n := len(First(3)); n != 3 {
		t.Errorf("%d sheets for 3 requests", n)
	}
}
