package main

import (
	"testing"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/store"
)

// operations is so many that whatever counts them in 32 bits has wrapped.
const operations = 1<<32 + 1<<20

// More than 2^32 Sets and Deletes of a thousand keys leave a container as right as a few, and as
// small.
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
	t.Run("cache", func(t *testing.T) { // with room for all
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

// cacheRoom is what the cache may take, and does in time: it writes on before it uses what was
// deleted.
const cacheRoom = 1 << 20

// churn sets and deletes random keys, each of which it has a value of in an array. In the end the
// container has no more memory than early on, or than it may have.
func churn(t *testing.T, set func(k, v uint64), get func(uint64) (uint64, bool), remove func(uint64) bool, end func() error, most uint64) {
	t.Parallel()
	var values [1000]uint64 // 0 if it is not there
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

// committed returns the bytes of the container that the test has named.
func committed(t *testing.T) uint64 {
	for _, total := range store.Totals() {
		if total.Name == t.Name() {
			return total.Committed
		}
	}
	t.Fatal("the container is not counted")
	return 0
}
