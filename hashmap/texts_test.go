package hashmap

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestTextsKeys verifies that two keys have the same string only if they are equal according to ==,
// and that a type that cannot be a key is rejected with an error that names the field.
func TestTextsKeys(t *testing.T) {
	p, err := planKeys("x", reflect.TypeFor[place]())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]place{}
	src := choice.Seeded(1)
	for range 3000 {
		k := somePlace(src)
		text := keyString(&p, nil, &k)
		if other, ok := seen[text]; ok && other != k {
			t.Fatalf("%+v and %+v have one string", k, other)
		}
		seen[strings.Clone(text)] = k
		if back, ok := keyOf[place](&p, text); !ok || back != k {
			t.Fatalf("%+v became %+v, %v", k, back, ok)
		}
		for n := range len(text) {
			if _, ok := keyOf[place](&p, text[:n]); ok {
				t.Fatalf("a part of %q is a key", text)
			}
		}
	}
	for want, err := range map[string]error{
		"hashmap.NewTexts: struct { A float64 }.A is a float64": errOf(NewTexts[struct{ A float64 }, string](Options{})),
		"hashmap.NewTexts: [2]*int[] is a *int, a pointer":      errOf(NewTexts[[2]*int, string](Options{})),
		"hashmap.NewTexts: interface {} is a interface {}":      errOf(NewTexts[any, []byte](Options{})),
		"hashmap.NewTexts: a key has":                           errOf(NewTexts[[1 << 17]byte, string](Options{})),
		"hashmap.NewShardedTexts: struct { A float32 }.A is":    errOf(NewShardedTexts[struct{ A float32 }, string](Options{})),
		"hashmap.NewTexts: negative Max":                        errOf(NewTexts[int, string](Options{Max: -1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestTextsChurn verifies that old values and deleted keys leave no memory behind, even if the
// lengths of values change. The heap for the values may be at most one and a half times as large as
// in a new map with the same entries. The same limit applies to the heap for the keys.
func TestTextsChurn(t *testing.T) {
	n, rounds := 2000, 30
	if testing.Short() {
		rounds = 8
	}
	if testsize.Full() {
		n, rounds = 20_000, 500 // ten million changes
	}
	m := Must(NewTexts[uint64, []byte](Options{}))
	defer m.Close()
	src := choice.Seeded(1)
	room := make([]byte, 4096)
	for round := range rounds {
		scale := 1 + 13*(round%7)
		for range n {
			k := uint64(round*n/8 + src.Intn(n)) // keys drift, and lengths too
			m.Set(k, room[:src.Intn(20)*scale])
			m.Delete(k - uint64(n))
			m.Delete(uint64(round*n/8 - 1 - src.Intn(n)))
		}
		fresh := Must(NewTexts[uint64, []byte](Options{}))
		for k, v := range m.AllBytes() {
			fresh.Set(k, v)
		}
		was, want := m.Stats(), fresh.Stats()
		if round > 7 && (was.ValueBytes > want.ValueBytes+want.ValueBytes/2+4096 || was.TextBytes > want.TextBytes+want.TextBytes/2+4096) {
			t.Errorf("round %d: %d bytes of values and %d of keys for %d entries, fresh ones take %d and %d", round, was.ValueBytes, was.TextBytes, was.Len, want.ValueBytes, want.TextBytes)
		}
		fresh.Close()
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
}

// TestTextsAllocations verifies the numbers of allocations that the documentation states.
func TestTextsAllocations(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds lend copies")
	}
	m, s := Must(NewTexts[place, string](Options{})), Must(NewShardedTexts[place, string](Options{Shards: 4}))
	defer m.Close()
	defer s.Close()
	k, v := place{Country: "de", Names: [2]named{"Ulm", "Neu-Ulm"}}, "a value of some length, so that it cannot be on a stack"
	m.Set(k, v)
	s.Set(k, v)
	room, n := make([]byte, 0, 100), 0
	for name, c := range map[string]struct {
		want float64
		f    func()
	}{
		"Get":               {1, func() { v, _ := m.Get(k); n += len(v) }},
		"AppendGet":         {0, func() { b, _ := m.AppendGet(room, k); n += len(b) }},
		"View":              {0, func() { m.View(k, func(b []byte) { n += len(b) }) }},
		"Has":               {0, func() { m.Has(k) }},
		"Set":               {0, func() { m.Set(k, v[n%2:]) }},
		"Sharded.Get":       {1, func() { v, _ := s.Get(k); n += len(v) }},
		"Sharded.AppendGet": {0, func() { b, _ := s.AppendGet(room, k); n += len(b) }},
		"Sharded.View":      {0, func() { s.View(k, func(b []byte) { n += len(b) }) }},
		"Sharded.Set":       {0, func() { s.Set(k, v[n%2:]) }},
	} {
		if got := testing.AllocsPerRun(100, c.f); got > c.want {
			t.Errorf("%s allocates %v times, want %v", name, got, c.want)
		}
	}
}

// TestTextsMemory verifies that the data of a large Texts is outside the Go heap, and that a small
// Texts uses little memory.
func TestTextsMemory(t *testing.T) {
	if !vmem.GoMemory {
		held := memory.Held(func() any {
			m := Must(NewTexts[int, string](Options{}))
			for i := range 20_000 {
				m.Set(i, "a value of some forty bytes, all of it text")
			}
			t.Cleanup(func() { m.Close() })
			return m
		})
		if held > 64<<10 {
			t.Errorf("a large Texts holds %d bytes of the Go heap", held)
		}
	}
	small := memory.Held(func() any {
		all := make([]*Texts[string, string], 100)
		for i := range all {
			all[i] = Must(NewTexts[string, string](Options{}))
			all[i].Set("a", "b")
		}
		t.Cleanup(func() {
			for _, m := range all {
				m.Close()
			}
		})
		return all
	})
	if small > 100*8<<10 {
		t.Errorf("100 small Texts hold %d bytes", small)
	}
}

// TestTextsLend verifies that checked builds overwrite the bytes that View and AllBytes have lent,
// and panic if the callback of View changes the map.
func TestTextsLend(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only checked builds overwrite what was lent")
	}
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "value")
	var kept []byte
	m.View("a", func(b []byte) { kept = b })
	if !bytes.Equal(kept, []byte("\xDB\xDB\xDB\xDB\xDB")) {
		t.Errorf("View left %q", kept)
	}
	for _, b := range m.AllBytes() {
		kept = b
	}
	if !bytes.Equal(kept, []byte("\xDB\xDB\xDB\xDB\xDB")) {
		t.Errorf("AllBytes left %q", kept)
	}
	if got := panics.Of(func() { m.View("a", func([]byte) { m.Set("a", "other") }) }); !strings.Contains(got, "changed the map") {
		t.Errorf("%q", got)
	}
}

func TestTextsMisuse(t *testing.T) {
	m, s := Must(NewTexts[string, string](Options{Max: 1})), Must(NewShardedTexts[string, string](Options{Shards: 1}))
	m.Set("a", "b")
	if err := m.TrySet("b", ""); !errors.Is(err, ErrFull) || m.Len() != 1 {
		t.Error(err)
	}
	if err := m.Reserve(2); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	m.Close()
	s.Close()
	for want, f := range map[string]func(){
		"hashmap.Texts.Get: the map is closed":               func() { m.Get("a") },
		"hashmap.ShardedTexts.Set: the map is closed":        func() { s.Set("a", "") },
		"hashmap.Texts.Has: the map was not made":            func() { new(Texts[int, string]).Has(1) },
		"hashmap.ShardedTexts.Has: the map was not made":     func() { new(ShardedTexts[int, string]).Has(1) },
		"hashmap.ShardedTexts.Clear: the map was not made":   func() { new(ShardedTexts[int, string]).Clear() },
		"hashmap.ShardedTexts.Reserve: the map was not made": func() { _ = new(ShardedTexts[int, string]).Reserve(1) },
		"hashmap.ShardedTexts.Verify: the map was not made":  func() { _ = new(ShardedTexts[int, string]).Verify() },
		"hashmap.ShardedTexts.Keys: the map was not made":    func() { new(ShardedTexts[int, string]).Keys() },
	} {
		if got := panics.Of(f); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestShardedTextsTogether verifies that several goroutines may read and change a ShardedTexts
// concurrently. Each value contains its key, so a wrong value is noticed.
func TestShardedTextsTogether(t *testing.T) {
	s := Must(NewShardedTexts[string, string](Options{Shards: 2}))
	defer s.Close()
	steps := 3000
	if testing.Short() {
		steps = 500
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			src := choice.Seeded(uint64(g))
			right := func(k, v string) {
				if strings.TrimRight(v, "x") != k {
					t.Errorf("%q has %q", k, v)
				}
			}
			for i := range steps {
				k := fmt.Sprint(src.Intn(200))
				switch i % 5 {
				case 0, 1:
					s.Set(k, k+strings.Repeat("x", src.Intn(100)))
				case 2:
					s.Delete(k)
				case 3:
					if v, ok := s.Get(k); ok {
						right(k, v)
					}
				default:
					s.View(k, func(b []byte) { right(k, string(b)) })
				}
				if i%500 == 0 {
					for k, v := range s.All() {
						right(k, v)
					}
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
}

// TestTextsLoopsSeeMoves verifies that a loop yields the current value of a key, even if Set has
// moved it during the loop.
func TestTextsLoopsSeeMoves(t *testing.T) {
	const n = 200
	m := Must(NewTexts[int, string](Options{}))
	defer m.Close()
	for i := range n {
		m.Set(i, fmt.Sprint("first of ", i))
	}
	seen := 0
	for k, v := range m.All() {
		if seen++; seen == 1 {
			for i := range n {
				m.Set(i, fmt.Sprintf("the second value of %*d", i%7, i))
			}
			continue
		}
		if want := fmt.Sprintf("the second value of %*d", k%7, k); v != want {
			t.Fatalf("%d has %q, want %q", k, v, want)
		}
	}
	if seen != n {
		t.Errorf("%d of %d entries", seen, n)
	}
}

// TestTextsKeysLeaveOutBlankFields verifies that the string of a key does not contain the blank
// fields, because == ignores them.
func TestTextsKeysLeaveOutBlankFields(t *testing.T) {
	type gap struct {
		A, _, B uint32
	}
	p, err := planKeys("test", reflect.TypeFor[gap]())
	if want := []keyPart{{0, 4, plainPart}, {8, 4, plainPart}}; err != nil || !slices.Equal(p.parts, want) {
		t.Errorf("%v, %v, want %v", p.parts, err, want)
	}
}
