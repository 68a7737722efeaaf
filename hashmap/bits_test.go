package hashmap

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestShardsUseAllGroups verifies that the hash bits that select a shard differ from those that
// select a group. Otherwise the searches in a shard would begin in only some groups of a page.
func TestShardsUseAllGroups(t *testing.T) {
	shards := maxShards
	if vmem.GoMemory {
		shards = 8
	}
	s, err := NewSharded[uint64, uint64](Options{Shards: shards})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	groups := map[*shard[uint64, uint64]]map[uint64]bool{}
	for k := range uint64(shards * 1000) {
		sh, h := s.of("test", &k)
		if groups[sh] == nil {
			groups[sh] = map[uint64]bool{}
		}
		groups[sh][groupBits(h)&127] = true
	}
	for sh, seen := range groups {
		if len(seen) < 120 || len(groups) != shards {
			t.Fatalf("shard %p of %d begins in %d groups", sh, len(groups), len(seen))
		}
	}
}

// TestClosedShardedIsNotLocked verifies that a call that panics because the Sharded is closed
// releases its lock. Otherwise the next call would wait forever.
func TestClosedShardedIsNotLocked(t *testing.T) {
	s := Must(NewSharded[uint64, uint64](Options{}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"Get": func() { s.Get(1) }, "Set": func() { s.Set(1, 1) }, "TrySet": func() { _ = s.TrySet(1, 1) },
		"GetOrSet": func() { s.GetOrSet(1, 1) }, "Update": func() { s.Update(1, func(v uint64, _ bool) uint64 { return v }) },
		"Delete": func() { s.Delete(1) }, "LoadAndDelete": func() { s.LoadAndDelete(1) }, "Has": func() { s.Has(1) },
		"LoadOrCompute": func() { s.LoadOrCompute(1, func() (uint64, bool) { return 1, false }) },
		"Compute":       func() { s.Compute(1, func(uint64, bool) (uint64, ComputeOp) { return 1, UpdateOp }) }, "Len": func() { s.Len() }, "Clear": s.Clear,
		"Save": func() { _ = s.Save(filepath.Join(t.TempDir(), "map")) }, "Verify": func() { _ = s.Verify() },
		"All": func() {
			for range s.All() {
			}
		},
	} {
		if text := panics.Of(f); !strings.Contains(text, "the map is closed") {
			t.Errorf("%s: %q", name, text)
		}
		for i := range s.shards {
			if w := s.shards[i].word.Load(); w&(held|changing) != 0 || w&ended == 0 {
				t.Fatalf("after %s shard %d has the word %b", name, i, w)
			}
		}
	}
}
