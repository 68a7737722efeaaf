package store_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/store"
)

// Calling a method on a copy of a Store panics, even where vet does not detect the copy. The call
// panics immediately if the check is free, and otherwise when the copy needs its next block of
// slots.
func TestCopiesOfStoresSaySo(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds say it in each call")
	}
	s := open[uint64](t, store.Options{})
	for i := range uint64(10) {
		s.Alloc(i)
	}
	c := new(store.Store[uint64])
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(s).Elem())
	for name, call := range map[string]func(){"Len": func() { c.Len() }, "All": func() { c.All() }, "Reset": func() { c.Reset() }, "Trim": func() { c.Trim() },
		"Close": func() { c.Close() }} {
		if said := panicOf(call); !strings.HasPrefix(said, "store.Store."+name+": called on a copy") {
			t.Errorf("%s of a copy: %q", name, said)
		}
	}
	puts := 0
	said := panicOf(func() {
		for ; puts < 100_000; puts++ {
			c.Alloc(1)
		}
	})
	if !strings.Contains(said, "use of a copy") || puts > 16<<10/8 {
		t.Errorf("after %d Puts of a copy: %q", puts, said)
	}
	if said := panicOf(func() { s.Alloc(1) }); said != "no panic" || s.Len() != 11 {
		t.Errorf("the original: %q, %d records", said, s.Len())
	}
}
