package symbols

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// For random sequences of calls, the table agrees with a map and a slice.
func TestAgainstModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	saves := opened(t, Options{}).Save(path) == nil
	random.Check(t, func(t *rapid.T) {
		table := seeded(New(Options{Max: 1 << 14}))
		defer func() { table.Close() }()
		numbers, texts := map[string]Symbol{}, []string{}
		text := rapid.Custom(func(t *rapid.T) string {
			s := rapid.SampledFrom([]string{"", "a", "ab", "x\x00", strings.Repeat("long", 300)}).Draw(t, "prefix")
			return s + fmt.Sprint(rapid.IntRange(0, 2000).Draw(t, "number"))
		})
		t.Repeat(map[string]func(*rapid.T){
			"intern": func(t *rapid.T) {
				for _, s := range rapid.SliceOfN(text, 1, 100).Draw(t, "texts") {
					want, ok := numbers[s]
					if !ok {
						texts = append(texts, s)
						want = Symbol(len(texts))
						numbers[s] = want
					}
					if got := table.InternBytes([]byte(s)); got != want {
						t.Fatalf("%q is %d, want %d", s, got, want)
					}
				}
			},
			"look up": func(t *rapid.T) {
				s := text.Draw(t, "text")
				if got, ok := table.Lookup(s); got != numbers[s] || ok != (got != 0) {
					t.Fatalf("%q is %d, %t, want %d", s, got, ok, numbers[s])
				}
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 5).Draw(t, "chance") == 0 {
					table.Clear()
					clear(numbers)
					texts = nil
				}
			},
			"clone or reopen": func(t *rapid.T) {
				next, err := another(t, table, path, saves && rapid.Bool().Draw(t, "reopen"))
				if err != nil {
					t.Fatal(err)
				}
				table.Intern("only in the old one")
				if err := table.Close(); err != nil {
					t.Fatal(err)
				}
				table = next
			},
			"": func(t *rapid.T) {
				if table.Len() != len(texts) {
					t.Fatalf("%d symbols, want %d", table.Len(), len(texts))
				}
				for s, got := range table.All() {
					if got != texts[s-1] {
						t.Fatalf("%d is %q, want %q", s, got, texts[s-1])
					}
				}
				if err := table.Verify(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// another returns a copy of a table, created either by Clone or by Save and OpenFile.
func another(t *rapid.T, table *Table, path string, reopen bool) (*Table, error) {
	if !reopen {
		return table.Clone()
	}
	if err := table.Save(path); err != nil {
		return nil, err
	}
	return OpenFile(path, Options{Max: 1 << 14, Verify: rapid.Bool().Draw(t, "verify")})
}

// When several goroutines intern the same strings in different orders, each string gets exactly one
// number, and readers see every symbol added before.
func TestGoroutines(t *testing.T) {
	n := count(60_000)
	table := opened(t, Options{})
	const writers = 4
	var numbers [writers][]Symbol
	var group sync.WaitGroup
	for w := range writers {
		numbers[w] = make([]Symbol, n)
		group.Go(func() {
			for i := range n {
				at := i
				if w%2 == 1 {
					at = n - 1 - i
				}
				numbers[w][at] = table.Intern(name(at))
				if s, ok := table.Lookup(name(at)); !ok || s != numbers[w][at] || table.String(s) != name(at) {
					t.Errorf("%q is %d, %t, right after it became %d", name(at), s, ok, numbers[w][at])
					return
				}
			}
		})
	}
	for range 2 {
		group.Go(func() {
			for table.Len() < n {
				before := table.Len()
				for s := Symbol(max(1, before-100)); int(s) <= before; s++ {
					if text := table.String(s); !strings.HasPrefix(text, "symbol ") {
						t.Errorf("%d is %q", s, text)
						return
					}
				}
				if _, ok := table.Lookup("missing"); ok {
					t.Error("something is found that never was there")
				}
			}
		})
	}
	group.Wait()
	if table.Len() != n {
		t.Fatalf("%d symbols, want %d", table.Len(), n)
	}
	check(t, table.Verify())
	for w := range writers {
		for i := range n {
			if numbers[w][i] != numbers[0][i] {
				t.Fatalf("%q is %d and %d", name(i), numbers[w][i], numbers[0][i])
			}
		}
	}
}

// A reader always finds an existing symbol, even while the symbol's page is being split and reused.
func TestReadersDuringSplits(t *testing.T) {
	table := filled(t, 2000)
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if s, ok := table.Lookup(name(i % 2000)); !ok || int(s) != i%2000+1 {
					t.Errorf("%q is %d, %t", name(i%2000), s, ok)
					return
				}
			}
		})
	}
	for i := range count(300_000) {
		table.Intern(name(i))
	}
	close(stop)
	group.Wait()
}

// A table can be saved and cloned while symbols are being added. The copy contains the symbols
// added first.
func TestSaveWhileOthersIntern(t *testing.T) {
	table := opened(t, Options{})
	n := count(50_000)
	var group sync.WaitGroup
	group.Go(func() {
		for i := range n {
			table.Intern(name(i))
		}
	})
	path := filepath.Join(t.TempDir(), "table")
	for range 5 {
		clone, err := table.Clone()
		check(t, err)
		expect(t, clone, clone.Len())
		check(t, clone.Close())
		if err := table.Save(path); err != nil {
			continue
		}
		saved, err := OpenFile(path, Options{Verify: true})
		check(t, err)
		expect(t, saved, saved.Len())
		check(t, saved.Close())
	}
	group.Wait()
	expect(t, table, n)
}
