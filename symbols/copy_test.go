package symbols

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/byvalue"
	"github.com/coppice-go/coppice/internal/testkit/panics"
)

// A copy of a Table by value, which vet does not detect here, either returns the correct result or
// panics because it is a copy.
func TestCopiesSaySo(t *testing.T) {
	table := filled(t, 100)
	c := byvalue.Copy(table)
	for i := range 5000 {
		table.Intern(name(i))
	}
	for i := range 5000 {
		said := panics.Of(func() {
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
		"Stats": func() { c.Stats() }, "Clear": func() { c.Clear() }, "Close": func() { c.Close() }, "Clone": func() { c.Clone() }, "Save": func() { c.Save("") },
		"Verify": func() { c.Verify() },
	} {
		if said := panics.Of(call); !strings.HasPrefix(said, "symbols.Table."+name+": called on a copy") {
			t.Errorf("%s of a copy: %q", name, said)
		}
	}
	check(t, table.Verify())
}
