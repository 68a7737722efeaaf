package tidy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The table of rooms names what exists, and has no circle.
func TestRooms(t *testing.T) {
	below := map[string]bool{}
	var visit func(room string, above []string)
	visit = func(room string, above []string) {
		if slices.Contains(above, room) {
			t.Errorf("room %s is below itself: %q", room, above)
			return
		}
		for _, next := range onlyFrom[room] {
			visit(next, append(above, room))
		}
		below[room] = true
	}
	for room := range onlyFrom {
		visit(room, nil)
		if _, err := os.Stat(filepath.Join("../..", toolRooms, room)); err != nil {
			t.Errorf("%v; take the room out of the table", err)
		}
	}
	for room := range below {
		if _, ok := onlyFrom[room]; !ok {
			t.Errorf("room %s is no row of the table", room)
		}
	}
}
