package maptest_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/maptest"
)

type (
	described = maptest.Map[string, int]
	entries   = map[string]int
)

// A mutant is a sorted map with one fault that breaks a promise.
type mutant struct {
	promise maptest.Promise
	what    string
	spoil   func(m *described)
}

// all replaces m.All with an iterator that passes each entry to f, which may or may not yield it.
func all(m *described, f func(k string, v int, yield func(string, int) bool) bool) {
	before := m.All
	m.All = func() iter.Seq2[string, int] {
		return func(yield func(string, int) bool) {
			for k, v := range before() {
				if !f(k, v, yield) {
					return
				}
			}
		}
	}
}

var mutants = []mutant{
	{maptest.SetIsFound, "the empty key is lost", func(m *described) {
		get := m.Get
		m.Get = func(k string) (int, bool) {
			if k == "" {
				return 0, false
			}
			return get(k)
		}
	}},
	{maptest.SetIsFound, "keys are cut", func(m *described) {
		set, get := m.Set, m.Get
		m.Set = func(k string, v int) { set(k[:min(len(k), 3)], v) }
		m.Get = func(k string) (int, bool) { return get(k[:min(len(k), 3)]) }
	}},
	{maptest.SetIsFound, "a missing key has a value", func(m *described) {
		get := m.Get
		m.Get = func(k string) (int, bool) {
			v, ok := get(k)
			if !ok {
				return 9, false
			}
			return v, ok
		}
	}},
	{maptest.SetReplaces, "the first value stays", func(m *described) {
		getOrSet := m.GetOrSet
		m.Set = func(k string, v int) { getOrSet(k, v) }
	}},
	{maptest.LenCounts, "Len counts calls", func(m *described) {
		set, n := m.Set, 0
		m.Set = func(k string, v int) { set(k, v); n++ }
		m.Len = func() int { return n }
	}},
	{maptest.LenCounts, "Len does not fall", func(m *described) {
		size, most := m.Len, 0
		m.Len = func() int { most = max(most, size()); return most }
	}},
	{maptest.DeleteTakesOne, "Delete takes a neighbour too", func(m *described) {
		remove := m.Delete
		m.Delete = func(k string) bool {
			if len(k) == 4 {
				defer remove(k[:3])
			}
			return remove(k)
		}
	}},
	{maptest.DeleteTakesOne, "Delete always says yes", func(m *described) {
		remove := m.Delete
		m.Delete = func(k string) bool { remove(k); return true }
	}},
	{maptest.DeletedComeAgain, "a key comes three times", func(m *described) {
		remove, times, set := m.Delete, map[string]int{}, m.Set
		m.Delete = func(k string) bool { times[k]++; return remove(k) }
		m.Set = func(k string, v int) {
			if times[k] < 3 {
				set(k, v)
			}
		}
	}},
	{maptest.GetOrSetSetsOnce, "GetOrSet sets always", func(m *described) {
		set, get := m.Set, m.Get
		m.GetOrSet = func(k string, v int) (int, bool) { _, ok := get(k); set(k, v); return v, ok }
	}},
	{maptest.GetOrSetSetsOnce, "GetOrSet sets never", func(m *described) {
		get := m.Get
		m.GetOrSet = func(k string, v int) (int, bool) {
			if old, ok := get(k); ok {
				return old, true
			}
			return v, false
		}
	}},
	{maptest.AllYieldsEach, "All loses a key", func(m *described) {
		all(m, func(k string, v int, yield func(string, int) bool) bool { return len(k) == 7 || yield(k, v) })
	}},
	{maptest.AllYieldsEach, "All yields a key twice", func(m *described) {
		all(m, func(k string, v int, yield func(string, int) bool) bool {
			return yield(k, v) && (len(k) != 7 || yield(k, v))
		})
	}},
	{maptest.AllYieldsEach, "All yields another value", func(m *described) {
		all(m, func(k string, v int, yield func(string, int) bool) bool { return yield(k, v&^64) })
	}},
	{maptest.AllStops, "All does not stop", func(m *described) {
		all(m, func(k string, v int, yield func(string, int) bool) bool { yield(k, v); return true })
	}},
	{maptest.AllStops, "loops share a state", func(m *described) {
		busy := false
		all(m, func(k string, v int, yield func(string, int) bool) bool {
			if busy {
				return false
			}
			busy = true
			defer func() { busy = false }()
			return yield(k, v)
		})
	}},
	{maptest.AllIsOrdered, "the last key comes first", func(m *described) {
		before := m.All
		m.All = func() iter.Seq2[string, int] {
			return func(yield func(string, int) bool) {
				last, value, n := "", 0, 0
				for k, v := range before() {
					last, value, n = k, v, n+1
				}
				if n > 0 && !yield(last, value) {
					return
				}
				for k, v := range before() {
					if k != last && !yield(k, v) {
						return
					}
				}
			}
		}
	}},
	{maptest.AllIsOrdered, "two keys change places", func(m *described) {
		var late string
		all(m, func(k string, v int, yield func(string, int) bool) bool {
			if len(k) == 5 && late == "" {
				late = k
				return true
			}
			return yield(k, v) && (late == "" || yield(late, 0)) && func() bool { late = ""; return true }()
		})
	}},
	{maptest.AllAllowsChanges, "All is a copy from the beginning", func(m *described) {
		before := m.All
		m.All = func() iter.Seq2[string, int] {
			copied := entries{}
			for k, v := range before() {
				copied[k] = v
			}
			return func(yield func(string, int) bool) {
				for k, v := range copied {
					if !yield(k, v) {
						return
					}
				}
			}
		}
	}},
	{maptest.AllAllowsChanges, "All forgets what stays", func(m *described) {
		remove, deleted := m.Delete, 0
		m.Delete = func(k string) bool { deleted++; return remove(k) }
		all(m, func(k string, v int, yield func(string, int) bool) bool { return deleted%7 == 6 || yield(k, v) })
	}},
	{maptest.ClearTakesAll, "Clear leaves a key", func(m *described) {
		reset, set := m.Clear, m.Set
		m.Clear = func() { reset(); set("", 0) }
	}},
	{maptest.CloneIsApart, "the clone is the map", func(m *described) {
		m.Clone = func() (described, error) { c := *m; c.Close = nil; return c, nil }
	}},
	{maptest.CloneIsApart, "the clone is empty", func(m *described) {
		m.Clone = func() (described, error) { return sorted(), nil }
	}},
	{maptest.ReopenKeeps, "values are lost", func(m *described) {
		before := m.All
		m.Reopen = func() (described, error) {
			c := sorted()
			for k := range before() {
				c.Set(k, 0)
			}
			return c, nil
		}
	}},
	{maptest.AgreesWithAModel, "every thousandth Set is lost", func(m *described) {
		set, n := m.Set, 0
		m.Set = func(k string, v int) {
			if n++; n%1000 != 0 {
				set(k, v)
			}
		}
	}},
	{maptest.AgreesWithAModel, "it panics now and then", func(m *described) {
		get, n := m.Get, 0
		m.Get = func(k string) (int, bool) {
			if n++; n == 3000 {
				panic("boom")
			}
			return get(k)
		}
	}},
}

// TestEveryPromiseCanBreak verifies that the kit detects the fault of every mutant, that the
// message names the broken promise and the seed, and that every promise has a mutant.
func TestEveryPromiseCanBreak(t *testing.T) {
	broken := map[maptest.Promise]bool{maptest.KeysStay: true} // tested by TestKeysThatChange
	for _, mutant := range mutants {
		t.Run(mutant.what, func(t *testing.T) {
			err := maptest.Verify(func() described {
				m := sorted()
				mutant.spoil(&m)
				return m
			}, mutant.promise)
			if err == nil {
				t.Fatal("the test of the promise passes on a map that breaks it")
			}
			for _, want := range []string{"broken promise: " + string(mutant.promise), "seed: 1"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message %q does not say %q", err, want)
				}
			}
		})
		broken[mutant.promise] = true
	}
	for _, p := range maptest.Promises() {
		if !broken[p] {
			t.Errorf("no map breaks %q", p)
		}
	}
}
