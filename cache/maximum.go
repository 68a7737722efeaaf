package cache

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// SetMaximum changes the bound, which was Options.MaxBytes, to so many bytes, more or fewer. If
// they are fewer, entries are evicted as the policy chooses, and the memory is back with the system
// when SetMaximum returns. The count of shards stays, so after a Cache of a few MiB has become much
// larger it may have fewer than New would choose: set Options.Shards if that is to be expected.
//
// Others may use the Cache meanwhile. It moves the entries of one shard after another to new
// memory, and has that shard's lock for as long: for a copy of each entry. So there is a moment
// when one shard has its old and its new memory, beside the bound. It keeps what is known of each
// entry, and forgets which keys were evicted.
//
// A function of OnDeletion that hears of what SetMaximum evicts must not call SetMaximum or Save,
// which would wait for themselves.
//
// It fails if the bytes are too few for the shards, or too many, or if the system has no memory;
// then nothing has changed.
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
	defer func() { _ = closeShards(next) }() // if a function of OnDeletion panics, or the Cache is closed meanwhile
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

// exchange gives a shard the memory of another one, which is empty, and closes its own.
// docs/decisions/0057 says why it copies.
func (s *shard) exchange(where string, next *shard) error {
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	next.adapt.begin(s.adapt.mode, next.ghost.added)
	s.shed(next)
	next.watch, next.evictions, next.expirations = s.watch, s.evictions, s.expirations
	from, to := s.queues(), next.queues()
	for i := len(from) - 1; i >= 0; i-- { // the younger ones last: what has no room there goes to the head of the main queue
		from[i].each(func(at uint64) uint64 { return s.give(to[i], at, next) })
	}
	index, log := s.index, s.log
	s.contents, next.contents = next.contents, contents{}
	if checks.Enabled {
		s.look(where)
	}
	return errors.Join(index.Close(), log.Close())
}

// shed evicts entries from the main queue until that of another shard has room for the rest.
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

// mainFor is how many words the main queue has once the table has grown for so many entries, as far
// as it may.
func (s *shard) mainFor(entries int) uint64 {
	index := s.indexBytes
	for mostOf(int(slotsOf(index))) < entries && index < s.mostIndex {
		index = s.nextIndex(index)
	}
	return (s.bound-index)/8 - s.main.start
}

// give puts a copy of a block into a queue of another shard, if it is an entry, and returns how
// many words the block has.
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
