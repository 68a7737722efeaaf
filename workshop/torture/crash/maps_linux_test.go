package crash

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// mostMaps is the largest limit on memory maps for which the test runs. Each store needs two maps.
const mostMaps = 200_000

// TestOutOfMaps exhausts the memory maps of a process, which the kernel limits (vm.max_map_count).
// The kernel then returns the same error as when it is out of memory.
func TestOutOfMaps(t *testing.T) {
	if vmem.GoMemory {
		t.Skip("here stores are Go memory")
	}
	child.SkipEmulated(t, "the limit on memory maps binds the emulator too")
	if limit := mapLimit(t); limit > mostMaps {
		t.Skipf("vm.max_map_count is %d here; too many to reach", limit)
	}
	survive(t, "stores without maps")
}

func mapLimit(t *testing.T) (limit int) {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err == nil {
		_, err = fmt.Sscan(string(text), &limit)
	}
	if err != nil {
		t.Skip("the limit on memory maps cannot be read:", err)
	}
	return limit
}

// storesWithoutMaps creates stores until the kernel refuses another map, and continues to use the
// existing stores.
func storesWithoutMaps() error {
	stores := make([]*store.Store[record], 0, mostMaps)
	if err := provide(); err != nil {
		return err
	}
	ready()
	small := store.Options{Max: 3000} // 256 KiB, of which 64 KiB are used: two maps
	var err error
	for len(stores) < cap(stores) {
		var s *store.Store[record]
		if s, err = store.New[record](small); err != nil {
			break
		}
		s.Alloc(recordOf(len(stores)))
		stores = append(stores, s)
	}
	if !errors.Is(err, store.ErrFull) || !strings.HasPrefix(err.Error(), "store.New: the store is full: ") {
		return fmt.Errorf("after %d stores New said %v", len(stores), err)
	}
	if !strings.Contains(err.Error(), "raise vm.max_map_count (sysctl)") {
		return fmt.Errorf("the limit has no name in %q", err)
	}
	if err := smallWithoutMaps(); err != nil {
		return err
	}
	first := stores[0]
	for i := 1; i < 2500; i++ { // the store grows within its maps
		if _, err := first.TryAlloc(recordOf(i)); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
	}
	if err := intact(first, 2500); err != nil {
		return err
	}
	first.Reset()
	if err := first.Trim(); err != nil {
		return err
	}
	for range 10 { // each frees maps, and the limit is inexact by one
		last := stores[len(stores)-1]
		if err := errors.Join(last.Trim(), last.Close()); err != nil {
			return err
		}
		stores = stores[:len(stores)-1]
	}
	again, err := store.New[record](small)
	if err != nil {
		return fmt.Errorf("after ten times Close: %w", err)
	}
	for i, s := range stores[1:] {
		if *s.At(1) != recordOf(i+1) {
			return fmt.Errorf("the record of store %d is damaged", i+1)
		}
	}
	for _, s := range append(stores, again) {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, closedAll())
}

// smallWithoutMaps creates containers in a process that cannot have more memory maps. Small
// containers need none. A container that grows must return an error that names the limit.
func smallWithoutMaps() error {
	for i := range uint64(100) {
		m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
		t := btree.Must(btree.New[string, uint64](btree.Options{}))
		m.Set("name", i)
		t.Set("name", i)
		if v, ok := m.Get("name"); !ok || v != i {
			return fmt.Errorf("map %d has %d, %v", i, v, ok)
		}
		if err := errors.Join(m.Close(), t.Close()); err != nil {
			return err
		}
	}
	m := hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{}))
	t := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	for name, set := range map[string]func(k, v uint64) error{"hashmap": m.TrySet, "btree": t.TrySet} {
		var err error
		for i := uint64(0); err == nil; i++ {
			if err = set(i, i); i > 1_000_000 {
				return fmt.Errorf("%s: a million entries without a memory map", name)
			}
		}
		if !strings.Contains(err.Error(), "raise vm.max_map_count (sysctl)") {
			return fmt.Errorf("%s: the limit has no name in %q", name, err)
		}
	}
	for i := range uint64(m.Len()) {
		if v, ok := m.Get(i); !ok || v != i {
			return fmt.Errorf("hashmap: key %d has %d, %v", i, v, ok)
		}
	}
	return errors.Join(m.Verify(), t.Verify(), m.Close(), t.Close())
}

// closedAll returns an error if a store is still open.
func closedAll() error {
	if totals := store.Totals(); len(totals) > 0 {
		return fmt.Errorf("open are %+v", totals)
	}
	return nil
}
