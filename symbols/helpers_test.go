package symbols

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// opened returns a table with a reproducible seed, so that its layout is the same in every run.
func opened(t testing.TB, o Options) *Table {
	t.Helper()
	table, err := New(o)
	check(t, err)
	table.setSeed(random.Seed())
	t.Cleanup(func() { check(t, table.Close()) })
	return table
}

func name(i int) string { return fmt.Sprintf("symbol %d", i) }

func filled(t testing.TB, n int) *Table {
	t.Helper()
	table := opened(t, Options{})
	for i := range n {
		table.Intern(name(i))
	}
	return table
}

// expect fails the test unless the table has exactly the symbols that filled creates for n.
func expect(t testing.TB, table *Table, n int) {
	t.Helper()
	check(t, table.Verify())
	if table.Len() != n {
		t.Fatalf("Len is %d, want %d", table.Len(), n)
	}
	for i := range n {
		if s, ok := table.Lookup(name(i)); !ok || s != Symbol(i+1) || table.String(s) != name(i) {
			t.Fatalf("%q is symbol %d, %t", name(i), s, ok)
		}
	}
	if s, ok := table.Lookup(name(n)); ok || s != 0 {
		t.Fatalf("%q is symbol %d, and was never there", name(n), s)
	}
	next := Symbol(1)
	for s, text := range table.All() {
		if s != next || text != name(int(s)-1) {
			t.Fatalf("All yields %d, %q", s, text)
		}
		next++
	}
	if int(next) != n+1 {
		t.Fatalf("All yields %d symbols", next-1)
	}
}

// count returns n, or n/10 in short mode.
func count(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// seeded gives a new table a reproducible seed, as opened does. It panics if err is not nil.
func seeded(t *Table, err error) *Table {
	if err != nil {
		panic(err)
	}
	t.setSeed(random.Seed())
	return t
}
