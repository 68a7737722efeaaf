package symbols

import (
	"errors"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/maptest"
	"github.com/coppice-go/coppice/store"
)

func TestNumbersAreDense(t *testing.T) {
	n := count(200_000)
	table := filled(t, n)
	expect(t, table, n)
	for i := range n {
		if s := table.Intern(name(i)); s != Symbol(i+1) {
			t.Fatalf("%q has become %d", name(i), s)
		}
	}
	expect(t, table, n)
	stats := table.Stats()
	if stats.Len != n || stats.TextBytes < uint64(len(name(n))*n) || stats.TextBytes > uint64(len(name(n))*n)*5/4+1<<20 {
		t.Errorf("%+v", stats)
	}
	if each := float64(stats.IndexBytes) / float64(n); each > 30 && !testing.Short() {
		t.Errorf("the index has %.1f bytes a symbol", each)
	}
}

// Each table has its own seed, so strings that collide in one table do not collide in another.
func TestSeedsAreRandom(t *testing.T) {
	var seeds [2]uint64
	for i := range seeds {
		table, err := New(Options{})
		check(t, err)
		seeds[i] = table.seed
		check(t, table.Close())
	}
	if seeds[0] == seeds[1] {
		t.Errorf("two tables have the seed %d", seeds[0])
	}
}

// TestConformance uses symbols as indexes into a slice of values. Together, they form a map without
// deletion.
func TestConformance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	const room = 1 << 15
	saves := !errors.Is(opened(t, Options{Max: 1}).Save(path), errors.ErrUnsupported)
	var described func(table *Table, values []int) maptest.Map[string, int]
	described = func(table *Table, values []int) maptest.Map[string, int] {
		set := func(k string, v int) {
			s := int(table.Intern(k))
			if s > len(values) {
				values = append(values, v)
			}
			values[s-1] = v
		}
		m := maptest.Map[string, int]{Set: set, Len: table.Len, Close: table.Close, Changes: true}
		m.Get = func(k string) (int, bool) {
			s, ok := table.LookupBytes([]byte(k))
			if !ok {
				return 0, false
			}
			return values[s-1], true
		}
		m.All = func() iter.Seq2[string, int] {
			return func(yield func(string, int) bool) {
				for s, k := range table.All() {
					if !yield(k, values[s-1]) {
						return
					}
				}
			}
		}
		m.Clear = func() { table.Clear(); values = nil }
		m.Clone = func() (maptest.Map[string, int], error) {
			c, err := table.Clone()
			if err != nil {
				return maptest.Map[string, int]{}, err
			}
			return described(c, slices.Clone(values)), nil
		}
		m.Reopen = func() (maptest.Map[string, int], error) {
			if err := table.Save(path); err != nil {
				return maptest.Map[string, int]{}, err
			}
			c, err := OpenFile(path, Options{Max: room})
			if err != nil {
				return maptest.Map[string, int]{}, err
			}
			return described(c, slices.Clone(values)), nil
		}
		if !saves {
			m.Reopen = nil
		}
		return m
	}
	maptest.Run(t, func() maptest.Map[string, int] { return described(seeded(New(Options{Max: room})), nil) })
}

func TestTextsOfEveryLength(t *testing.T) {
	table := opened(t, Options{})
	var texts []string
	for n := range 2050 {
		texts = append(texts, strings.Repeat(string(rune('a'+n%26)), n))
	}
	for _, n := range []int{4095, 4096, 4097, 300_000, 1 << 20, 1<<20 + 1, 3 << 20, MaxBytes} {
		texts = append(texts, strings.Repeat("x", n))
	}
	for i, text := range texts {
		if s := table.Intern(text); int(s) != i+1 {
			t.Fatalf("a text of %d bytes is symbol %d", len(text), s)
		}
	}
	for i, text := range texts {
		if s, ok := table.LookupBytes([]byte(text)); int(s) != i+1 || !ok || table.String(s) != text {
			t.Fatalf("a text of %d bytes is symbol %d, %t", len(text), s, ok)
		}
	}
	check(t, table.Verify())
	if _, err := table.TryIntern(strings.Repeat("x", MaxBytes+1)); err == nil || errors.Is(err, ErrFull) {
		t.Error("a text that is too long:", err)
	}
	if table.Len() != len(texts) {
		t.Error("it got a number")
	}
}

// A string returned by a table never changes, whatever happens to the table and to the bytes that
// were interned.
func TestStringsNeverChange(t *testing.T) {
	table, err := New(Options{})
	check(t, err)
	kept := make([]string, 0, 9000)
	for round := range 3 {
		for i := range 3000 {
			b := []byte(name(i + round*1000))
			kept = append(kept, table.String(table.InternBytes(b)))
			clear(b)
		}
		table.Clear()
	}
	check(t, table.Close())
	runtime.GC()
	again := filled(t, 5000)
	for i, s := range kept {
		if want := name(i%3000 + i/3000*1000); s != want {
			t.Fatalf("%q has become %q", want, s)
		}
	}
	expect(t, again, 5000)
}

// A full table reports that it is full, but keeps all of its symbols and still finds them.
func TestFull(t *testing.T) {
	const most = 1000
	table := opened(t, Options{Max: most})
	for i := range most {
		table.Intern(name(i))
	}
	for range 3 {
		if s, err := table.TryIntern(name(most)); !errors.Is(err, ErrFull) || s != 0 {
			t.Fatal(s, err)
		}
		if s, err := table.TryIntern(name(7)); s != 8 || err != nil {
			t.Fatal(s, err)
		}
	}
	if said := panics.Of(func() { table.Intern(name(most)) }); !strings.HasPrefix(said, "symbols.Table.Intern: ") || !strings.Contains(said, "full") {
		t.Error(said)
	}
	if said := panics.Of(func() { table.InternBytes([]byte(name(most))) }); !strings.HasPrefix(said, "symbols.Table.InternBytes: ") {
		t.Error(said)
	}
	expect(t, table, most)
	for _, most := range []int64{-1, 1<<32 - 1} {
		if _, err := New(Options{Max: int(most)}); err == nil {
			t.Error("opened with Max", most)
		}
	}
}

// If any commit of memory fails, the table remains unchanged, and it continues once memory is
// available again.
func TestRefusedMemory(t *testing.T) {
	defer vmem.FailCommit(-1)
	for fail := range 12 {
		vmem.FailCommit(-1)
		table := opened(t, Options{})
		vmem.FailCommit(fail)
		n := 0
		for ; n < 40_000; n++ {
			if s, err := table.TryIntern(name(n)); err != nil {
				if !errors.Is(err, ErrFull) || s != 0 {
					t.Fatal(s, err)
				}
				break
			}
		}
		if n == 40_000 {
			break // all commits succeeded
		}
		expect(t, table, n)
		if _, err := table.Clone(); n > 0 && !errors.Is(err, ErrFull) {
			t.Error("cloned without memory", err)
		}
		vmem.FailCommit(-1)
		for i := range n + 2000 {
			table.Intern(name(i))
		}
		expect(t, table, n+2000)
	}
}

// Strings whose significant hash bits are equal are told apart as long as their symbols fit in one
// page. Further ones are rejected.
func TestCollisions(t *testing.T) {
	table := opened(t, Options{})
	sh := &table.shards[3]
	for i := range Symbol(1000) {
		text := name(int(i))
		page, err := table.makeRoom(sh, 0xABCD_1234)
		if err != nil {
			if !errors.Is(err, ErrFull) || i < 400 {
				t.Fatal(i, err)
			}
			break
		}
		s, err := table.add(text)
		check(t, err)
		if !put(page, 0xABCD_1234, s) || table.find(sh, 0xABCD_1234, text) != s {
			t.Fatalf("%q is not found", text)
		}
		if i == 999 {
			t.Error("a page took them all")
		}
	}
	for i := range table.Len() {
		if s := table.find(sh, 0xABCD_1234, name(i)); int(s) != i+1 {
			t.Fatalf("%q is %d", name(i), s)
		}
	}
}

func TestReset(t *testing.T) {
	table := opened(t, Options{})
	for _, n := range []int{0, 1, 5000, 0, 20_000, 30} {
		for i := range n {
			table.Intern(name(i))
		}
		expect(t, table, n)
		table.Clear()
		expect(t, table, 0)
	}
}

func TestClose(t *testing.T) {
	table, err := New(Options{Name: t.Name()})
	check(t, err)
	table.Intern("x")
	bytes := func() (n uint64) {
		for _, total := range store.Totals() {
			if total.Name == t.Name() {
				n += total.Committed
			}
		}
		return n
	}
	if bytes() == 0 {
		t.Error("the table is not counted")
	}
	check(t, table.Close())
	check(t, table.Close())
	if bytes() != 0 {
		t.Error("a closed table is counted")
	}
	if _, ok := table.Lookup("x"); ok || table.Len() != 0 || table.Stats() != (Stats{}) {
		t.Error("a closed table finds something")
	}
	for name, f := range map[string]func(){
		"String: ": func() { table.String(1) },
		"Intern: ": func() { table.Intern("x") },
		"Clear: ":  table.Clear,
	} {
		if said := panics.Of(f); !strings.HasPrefix(said, "symbols.Table."+name) {
			t.Error(said)
		}
	}
	for name, err := range map[string]error{
		"Verify": table.Verify(), "Save": table.Save(filepath.Join(t.TempDir(), "x")), "Clone": func() error { _, err := table.Clone(); return err }(),
	} {
		if !errors.Is(err, errClosed) && !errors.Is(err, errors.ErrUnsupported) {
			t.Error(name, err)
		}
	}
}

func TestStringOfNoSymbol(t *testing.T) {
	table := filled(t, 10)
	for _, s := range []Symbol{0, 11, 5000, 1 << 20, 1<<32 - 1} {
		if said := panics.Of(func() { table.String(s) }); !strings.Contains(said, "is not in this table, which has 10") {
			t.Error(said)
		}
	}
}

func TestWhatIsThereCostsNoAllocation(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds may allocate")
	}
	table := filled(t, 1000)
	text := []byte(name(7))
	for what, f := range map[string]func(){
		"Lookup":      func() { table.Lookup("symbol 7") },
		"LookupBytes": func() { table.LookupBytes(text) },
		"Intern":      func() { table.Intern("symbol 7") },
		"InternBytes": func() { table.InternBytes(text) },
		"String":      func() { table.String(7) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s costs %v allocations", what, n)
		}
	}
}

func TestTryInternBytes(t *testing.T) {
	table := Must(New(Options{Max: 1}))
	defer table.Close()
	if s, err := table.TryInternBytes([]byte("a")); s != 1 || err != nil {
		t.Error(s, err)
	}
	if _, err := table.TryInternBytes([]byte("b")); !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "symbols.Table.TryInternBytes: ") {
		t.Error(err)
	}
}
