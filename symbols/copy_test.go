package symbols

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A copy of a Table by value, which vet does not see here, finds what was there, and says that it is a copy when it would be wrong.
func TestCopiesSaySo(t *testing.T) {
	table := filled(t, 100)
	c := new(Table)
	from, to := reflect.ValueOf(table).Elem(), reflect.ValueOf(c).Elem()
	to.Set(from)
	for i := range 5000 {
		table.Intern(name(i))
	}
	for i := range 5000 {
		said := panicOf(func() {
			if s, ok := c.Lookup(name(i)); !ok || table.String(s) != name(i) {
				t.Errorf("text %d is %d in a copy", i, s)
			}
		})
		if said != "" && !strings.HasPrefix(said, "symbols.Table.Lookup: called on a copy") {
			t.Fatal(said)
		}
	}
	for name, call := range map[string]func(){
		"Intern": func() { c.Intern("other") }, "Lookup": func() { c.Lookup("other") }, "String": func() { _ = c.String(1 << 20) }, "All": func() { c.All() },
		"Stats": func() { c.Stats() }, "Reset": func() { c.Reset() }, "Close": func() { c.Close() }, "Clone": func() { c.Clone() }, "Save": func() { c.Save("") },
		"Verify": func() { c.Verify() },
	} {
		if said := panicOf(call); !strings.HasPrefix(said, "symbols.Table."+name+": called on a copy") {
			t.Errorf("%s of a copy: %q", name, said)
		}
	}
	check(t, table.Verify())
}

// panicOf returns what f panics with.
func panicOf(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
