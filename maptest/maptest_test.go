package maptest_test

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/maptest"
)

type everyKind struct {
	B bool
	I int8
	F float32
	C complex64
	A [3]uint16
	_ int32
	N struct{}
	U uint64
}

// TestPlain verifies that a Go map keeps all promises, for keys and values of many types.
func TestPlain(t *testing.T) {
	maptest.Run(t, plains[int, string])
	maptest.Run(t, plains[string, struct{}])
	if !testing.Short() {
		maptest.Run(t, plains[everyKind, []byte])
	}
	maptest.Run(t, plains[[12]byte, everyKind])
	maptest.Run(t, plains[float32, bool])
	maptest.Run(t, plains[bool, uint8])
	maptest.Run(t, plains[uint8, int])
	maptest.Run(t, plains[struct{}, int])
}

// sorted returns a plain map whose All yields the keys in order.
func sorted() maptest.Map[string, int] {
	p := newPlain[string, int]()
	m := p.described()
	m.Compare = cmp.Compare[string]
	m.All = func() iter.Seq2[string, int] {
		return func(yield func(string, int) bool) {
			keys := make([]string, 0, len(p.entries))
			for k := range p.entries {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				if v, ok := p.entries[k]; ok && !yield(k, v) {
					return
				}
			}
		}
	}
	return m
}

func TestSorted(t *testing.T) { maptest.Run(t, sorted) }

// forgetful returns a map that works like a cache: it keeps only about a thousand keys.
func forgetful() maptest.Map[uint32, uint32] {
	p := newPlain[uint32, uint32]()
	m := p.described()
	m.Changes, m.Forgets = false, true
	set := m.Set
	forget := func() {
		for k := range p.entries {
			if len(p.entries) < 1000 {
				return
			}
			delete(p.entries, k)
		}
	}
	m.Set = func(k, v uint32) { set(k, v); forget() }
	m.GetOrSet, m.Clone, m.Reopen = nil, nil, nil
	return m
}

func TestForgetful(t *testing.T) { maptest.Run(t, forgetful) }

// TestNotTested verifies that promises about functions that a Map lacks are not tested, and that
// the error names these functions.
func TestNotTested(t *testing.T) {
	little := func() maptest.Map[int, int] {
		m := plains[int, int]()
		return maptest.Map[int, int]{Set: m.Set, Get: m.Get}
	}
	tested := 0
	for _, p := range maptest.Promises() {
		err := maptest.Verify(little, p)
		if err != nil && !errors.Is(err, maptest.ErrNotTested) {
			t.Error(err)
		}
		if err == nil {
			tested++
		}
	}
	if tested != 3 {
		t.Errorf("%d promises of a map with Set and Get are tested, want 3", tested)
	}
	if err := maptest.Verify(little, maptest.AllIsOrdered); err == nil || !strings.Contains(err.Error(), "no All and no Compare") {
		t.Error(err)
	}
	if err := maptest.Verify(func() maptest.Map[int, int] { return maptest.Map[int, int]{} }, maptest.LenCounts); err == nil || errors.Is(err, maptest.ErrNotTested) {
		t.Error("a Map without Set:", err)
	}
	if err := maptest.Verify(plains[*int, int], maptest.LenCounts); err == nil || !strings.Contains(err.Error(), "set Key") {
		t.Error("keys that the kit cannot make:", err)
	}
	if err := maptest.Verify(plains[int, func()], maptest.LenCounts); err == nil || !strings.Contains(err.Error(), "set Value") {
		t.Error("values that the kit cannot make:", err)
	}
}

// TestKeysAndRoom verifies that the kit makes keys with Key if it is set, and does not exceed a
// small Room.
func TestKeysAndRoom(t *testing.T) {
	maptest.Run(t, func() maptest.Map[*int, int] {
		m := plains[*int, int]()
		keys := pointers
		m.Key, m.Room = func(i int) *int { return &keys[i] }, 7
		set, size := m.Set, m.Len
		m.Set = func(k *int, v int) {
			if set(k, v); size() > 7 {
				panic("there is no room")
			}
		}
		return m
	})
}

var pointers [1 << 16]int

// TestEveryMapIsClosed verifies that every map is closed exactly once, even if a promise is broken
// or not tested.
func TestEveryMapIsClosed(t *testing.T) {
	open := 0
	var described func(m maptest.Map[int, int]) maptest.Map[int, int]
	described = func(m maptest.Map[int, int]) maptest.Map[int, int] {
		open++
		m.Close = func() error { open--; return nil }
		clone := m.Clone
		m.Clone = func() (maptest.Map[int, int], error) {
			c, err := clone()
			return described(c), err
		}
		m.Reopen, m.GetOrSet = nil, nil
		m.Clear = func() { panic("broken") }
		return m
	}
	for _, p := range maptest.Promises() {
		_ = maptest.Verify(func() maptest.Map[int, int] { return described(plains[int, int]()) }, p)
		if open != 0 {
			t.Fatalf("%s: %d maps are open", p, open)
		}
	}
	err := maptest.Verify(func() maptest.Map[int, int] {
		m := plains[int, int]()
		m.Close = func() error { return errors.New("will not close") }
		return m
	}, maptest.LenCounts)
	if err == nil || !strings.Contains(err.Error(), "will not close") {
		t.Error(err)
	}
}
