package arena

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// broken returns an arena with three pointer types and two Marks, after it has applied damage to
// it, and the first of the Marks.
func broken(damage func(a *Arena)) (*Arena, Mark) {
	a := &Arena{}
	New[*int](a)
	first := a.Mark()
	New[*string](a)
	a.String([]byte("ash"))
	a.Mark()
	New[*byte](a)
	damage(a)
	return a, first
}

// first returns the index of the entry for type *int.
func first(a *Arena) int {
	return a.types.find(wordOf((**int)(nil)))
}

func TestVerifyNotices(t *testing.T) {
	if a, _ := broken(func(*Arena) {}); a.verify() != nil {
		t.Fatalf("of a sound arena: %v", a.verify())
	}
	for want, damage := range map[string]func(a *Arena){
		"bytes are recorded, but the":  func(a *Arena) { a.account.Held++ },
		"slab index 4 is listed twice": func(a *Arena) { a.account.Used = append(a.account.Used, 4) },
		"out of range for 7 slabs":     func(a *Arena) { a.account.Used = append(a.account.Used, 7) },
		"has values, and is not":       func(a *Arena) { a.account.Used = a.account.Used[:3] },
		"looking up *int in the type":  func(a *Arena) { a.types.entries[first(a)].typ += 8 },
		"the table has 3 of 4 types":   func(a *Arena) { a.types.types++ },
		"and finds 2 of 3 slabs":       func(a *Arena) { a.types.known[first(a)].slab = nil },
		"the last slice ends 8 bytes":  func(a *Arena) { a.plain.spare = wordBytes },
		"Mark 0 of 2 has seen":         func(a *Arena) { a.marks[0].seen = 3 },
		"Mark 1 of 2 has seen":         func(a *Arena) { a.marks[1].serial = a.marks[0].serial },
		"belong to no Mark":            func(a *Arena) { a.marks = a.marks[1:] },
	} {
		a, _ := broken(damage)
		if err := a.verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("verify says %v, want %q", err, want)
		}
	}
}

// In checked builds, Reset, Release and Rewind verify the invariants and panic if one is broken.
// Rewind does so only occasionally, to limit the cost, so the test calls it repeatedly.
func TestCheckedBuildsVerify(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, use := range map[string]func(a *Arena, m Mark){
		"Reset":   func(a *Arena, _ Mark) { a.Reset() },
		"Release": func(a *Arena, _ Mark) { a.Release() },
		"Rewind": func(a *Arena, m Mark) {
			for range 10 {
				a.Rewind(m)
			}
		},
	} {
		a, m := broken(func(a *Arena) { a.types.known[first(a)].slab = nil })
		if said := said(func() { use(a, m) }); !strings.HasPrefix(said, "arena.Arena."+name+": the table has 3 of 3 types, and finds 2 of 3 slabs; the most likely cause is use by two goroutines") {
			t.Errorf("%s of a broken arena said %q", name, said)
		}
	}
}

// said returns the message of f's panic.
func said(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}
