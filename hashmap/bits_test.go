package hashmap

import (
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

// The bits that choose a shard are no bits of the group: each shard's keys begin their search in all groups of a page.
func TestShardsUseAllGroups(t *testing.T) {
	shards := maxShards
	if vmem.GoMemory {
		shards = 8
	}
	s, err := OpenSharded[uint64, uint64](shards, Options{})
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
