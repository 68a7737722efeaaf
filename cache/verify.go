package cache

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// look verifies the shard in checked builds, and panics if it is damaged. To limit the cost, most
// calls return without verifying the shard; the shard's budget determines which calls do so.
func (s *shard) look(where string) {
	if !s.budget.Affords(4 * len(s.table.slots)) {
		return
	}
	if err := s.verify(); err != nil {
		panic(fmt.Sprintf("%s: the cache is damaged: %v; %s", where, err, checks.Misused))
	}
}

// verify returns an error if a shard is inconsistent. It checks the order and the indexes in the
// table, each block, and the memory limit. The shard must be locked.
func (s *shard) verify() error {
	t := &s.table
	count, last := 0, -1
	for i, slot := range t.slots {
		if slot == 0 {
			continue
		}
		h := hashOf(slot)
		if last >= 0 && h < hashOf(t.slots[last]) || t.home(h) > uint64(i) || t.home(h) < uint64(i) && t.slots[i-1] == 0 {
			return fmt.Errorf("slot %d of hash %#x is not where a search looks", i, h)
		}
		count, last = count+1, i
	}
	if count != t.count || count != s.brief.live+s.small.live+s.main.live || t.slots[len(t.slots)-1] != 0 {
		return fmt.Errorf("%d slots are in use, %d are recorded, and the queues have %d, %d and %d", count, t.count, s.brief.live, s.small.live, s.main.live)
	}
	if s.committed() > s.bound || uint64(s.index.Committed()) != s.indexBytes {
		return fmt.Errorf("%d bytes are memory, of %d; %d are the index, of %d", s.committed(), s.bound, s.index.Committed(), s.indexBytes)
	}
	for _, r := range []*ring{&s.brief, &s.small, &s.main} {
		if err := s.verifyRing(r); err != nil {
			return err
		}
	}
	return nil
}

// verifyRing checks the blocks of a queue.
func (s *shard) verifyRing(r *ring) (err error) {
	live := 0
	r.each(func(at uint64) uint64 {
		header := s.words[at].Load()
		n := wordsOf(header)
		if n == 0 || at+n > uint64(len(s.words)) || at < r.start {
			err = fmt.Errorf("the block at %d has %d words", at, n)
			return uint64(len(s.words))
		}
		if header&deadBit == 0 {
			live++
			if _, ok := s.table.find(uint32(s.hash(at)), at); !ok {
				err = fmt.Errorf("the block at %d is not in the table", at)
			}
		}
		return n
	})
	if err == nil && live != r.live {
		err = fmt.Errorf("%d blocks of the queue from %d are live, but %d are recorded", live, r.start, r.live)
	}
	return err
}
