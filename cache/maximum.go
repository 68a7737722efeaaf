package cache

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// SetMaximum changes the memory limit of the Cache, which is initially Options.MaxBytes. The new
// limit may be higher or lower. If the limit decreases, the policy selects the entries to evict,
// and the memory is given back to the system before SetMaximum returns. The number of shards does
// not change. If a Cache of a few MiB becomes much larger, it therefore has fewer shards than New
// would choose for that size. If you expect this, set Options.Shards.
//
// Other goroutines may use the Cache during SetMaximum. It moves the entries of one shard after
// another to new memory, and holds the lock of a shard while it copies the entries of that shard.
// During this time, the shard has both its old and its new memory, so the Cache may exceed its
// limit. The state of each entry is kept, but the history of evicted keys is lost.
//
// If the function passed to OnDeletion is called because SetMaximum evicted an entry, it must not
// call SetMaximum or Save, which would deadlock.
//
// SetMaximum fails if there are too few or too many bytes for the shards, or if the system has no
// memory. The Cache is then unchanged.
func (c *Cache[K, V]) SetMaximum(bytes int64) error {
	const where = "cache.Cache.SetMaximum"
	if len(c.shards) == 0 {
		panic(where + ": this is the zero Cache; make one with New")
	}
	c.moving.Lock()
	defer c.moving.Unlock()
	pieces, err := c.pieces(where, bytes, len(c.shards))
	if err != nil {
		return err
	}
	next := make([]shard, len(c.shards))
	if err := c.openShards(next, pieces); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	defer func() { _ = closeShards(next) }() // if a function of OnDeletion panics, or the Cache is closed in the meantime
	c.bound.Store(max(bytes, c.bound.Load()))
	for i := range c.shards {
		err = errors.Join(err, c.shards[i].exchange(where, &next[i]))
	}
	c.bound.Store(bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// exchange moves a shard to the memory of next, which must be an empty shard. It copies the entries
// and closes the shard's old memory. docs/decisions/0057 explains why entries are copied.
func (s *shard) exchange(where string, next *shard) error {
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	next.adapt.begin(s.adapt.mode, next.ghost.added)
	s.shed(next)
	next.watch, next.evictions, next.expirations = s.watch, s.evictions, s.expirations
	from, to := s.queues(), next.queues()
	for i := len(from) - 1; i >= 0; i-- { // younger queues last: entries that do not fit there go to the head of the main queue
		from[i].each(func(at uint64) uint64 { return s.give(to[i], at, next) })
	}
	index, log := s.index, s.log
	s.contents, next.contents = next.contents, contents{}
	if checks.Enabled {
		s.look(where)
	}
	return errors.Join(index.Close(), log.Close())
}

// shed evicts entries from the main queue until the remaining entries fit into the main queue of
// the shard to.
func (s *shard) shed(to *shard) {
	words := uint64(0)
	s.main.each(func(at uint64) uint64 {
		header := s.words[at].Load()
		if header&deadBit == 0 {
			words += wordsOf(header)
		}
		return wordsOf(header)
	})
	for words > 0 && words > to.mainFor(s.table.count) {
		n, live := wordsOf(s.words[s.main.tail].Load()), s.main.live
		s.evictMain()
		if s.main.live < live {
			words -= n
		}
	}
}

// mainFor returns the number of words that remain for the main queue once the table has grown, up
// to its maximum size, to hold the given number of entries.
func (s *shard) mainFor(entries int) uint64 {
	index := s.indexBytes
	for mostOf(int(slotsOf(index))) < entries && index < s.mostIndex {
		index = s.nextIndex(index)
	}
	return (s.bound-index)/8 - s.main.start
}

// give copies a block into a queue of another shard, unless the block is dead or has expired. It
// returns the number of words in the block.
func (s *shard) give(r *ring, at uint64, to *shard) uint64 {
	header, p := s.words[at].Load(), s.pieceAt(at)
	switch {
	case header&deadBit != 0:
	case s.late(at):
		s.tell(at, CauseExpiration)
		to.expirations++
	case !to.adopt(r, s.hash(at), header, &p):
		s.tell(at, CauseOverflow)
		to.evictions++
	}
	return wordsOf(header)
}
