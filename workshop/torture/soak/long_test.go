package main

import (
	"testing"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/store"
)

// operations is large enough for a 32-bit counter of operations to wrap.
const operations = 1<<32 + 1<<20

// TestOperationsBeyond32Bits verifies that a container is still correct, and no larger than before,
// after more than 2^32 Sets and Deletes of a thousand keys.
func TestOperationsBeyond32Bits(t *testing.T) {
	testsize.OnlyInFull(t, "each takes minutes")
	t.Run("hashmap", func(t *testing.T) {
		m, err := hashmap.New[uint64, uint64](hashmap.Options{Name: t.Name()})
		if err != nil {
			t.Fatal(err)
		}
		churn(t, m.Set, m.Get, m.Delete, m.Close, 0)
	})
	t.Run("btree", func(t *testing.T) {
		m, err := btree.New[uint64, uint64](btree.Options{Name: t.Name()})
		if err != nil {
			t.Fatal(err)
		}
		churn(t, m.Set, m.Get, m.Delete, m.Close, 0)
	})
	t.Run("cache", func(t *testing.T) { // with room for all values
		c, err := cache.New[uint64, uint64](cache.Options{MaxBytes: cacheRoom, Name: t.Name(), Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		set := func(k, v uint64) {
			if err := c.Set(k, v); err != nil {
				t.Fatal(err)
			}
		}
		churn(t, set, c.Get, c.Delete, c.Close, cacheRoom)
	})
}

// cacheRoom is the maximum size of the cache. The cache grows to it over time, because it uses new
// memory before it reuses the memory of deleted entries.
const cacheRoom = 1 << 20

// churn sets and deletes random keys and compares the container with an array of the expected
// values. In the end the container may have no more memory than after the first million operations,
// or than most bytes.
func churn(t *testing.T, set func(k, v uint64), get func(uint64) (uint64, bool), remove func(uint64) bool, end func() error, most uint64) {
	t.Parallel()
	var values [1000]uint64 // 0 if the key is not present
	early := uint64(0)
	for i, x := uint64(1), uint64(1); i <= operations; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		if k := x >> 40 % uint64(len(values)); x>>32&1 == 0 {
			set(k, i)
			values[k] = i
		} else {
			if remove(k) != (values[k] > 0) {
				t.Fatalf("operation %d: deleting %d did not say whether it was there", i, k)
			}
			values[k] = 0
		}
		if i == 1<<20 {
			early = committed(t)
		}
	}
	for k, want := range values {
		if v, ok := get(uint64(k)); v != want || ok != (want > 0) {
			t.Errorf("%d has %d, %v, want %d", k, v, ok, want)
		}
	}
	if late := committed(t); late > max(early, most) {
		t.Errorf("a million operations took %d bytes, and all %d; it may have %d", early, late, most)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// committed returns the number of committed bytes of the container that has the name of the test.
func committed(t *testing.T) uint64 {
	for _, total := range store.Totals() {
		if total.Name == t.Name() {
			return total.Committed
		}
	}
	t.Fatal("the container is not counted")
	return 0
}
