package cache

// A ring is a queue of blocks, the oldest at its tail. It lies between start and limit; all its
// numbers are words of a shard's log. Blocks do not cross the end: if there is no room for one it
// stands at the start, and what is left over is not used in this round. So the order of blocks is
// the order of the queue, and there are no links.
//
//	start    tail           head            limit
//	|  free  | block | block |     free     |            not wrapped
//
//	start            head    tail           wrapAt limit
//	| block | block  | free  | block | block |     |     wrapped
type ring struct {
	start, limit uint64
	head, tail   uint64
	wrapAt       uint64 // where the blocks before start end, if wrapped
	wrapped      bool
	live         int    // blocks that the table knows
	gone         uint64 // words of all blocks that were taken away
}

// begin makes the ring empty, and gives it its place.
func (r *ring) begin(start, limit uint64) {
	*r = ring{start: start, limit: limit, head: start, tail: start, gone: r.gone + r.words()}
}

func (r *ring) empty() bool { return !r.wrapped && r.head == r.tail }

// size is how many words a block has at most.
func (r *ring) size() uint64 { return r.limit - r.start }

// top is where the last block in memory ends.
func (r *ring) top() uint64 {
	if r.wrapped {
		return r.wrapAt
	}
	return r.head
}

// has reports whether there is room for n words without an eviction.
func (r *ring) has(n uint64) bool {
	switch {
	case r.wrapped:
		return n <= r.tail-r.head
	case r.empty():
		return n <= r.size()
	}
	return r.head+n <= r.limit || n <= r.tail-r.start
}

// take returns a place for n words if that needs no eviction. most is the end of what is memory, or
// the limit.
func (r *ring) take(n, most uint64) (uint64, bool) {
	if r.empty() {
		r.head, r.tail = r.start, r.start
	}
	switch {
	case r.wrapped:
		if n > r.tail-r.head {
			return 0, false
		}
	case r.head+n <= most:
	case n <= r.tail-r.start:
		r.wrapAt, r.wrapped, r.head = r.head, true, r.start
	default:
		return 0, false
	}
	at := r.head
	r.head += n
	return at, true
}

// drop takes the n words of the block at the tail away.
func (r *ring) drop(n uint64) {
	r.gone += n
	r.tail += n
	if r.wrapped && r.tail == r.wrapAt {
		r.tail, r.wrapped = r.start, false
	}
}

// words is how many words all blocks have.
func (r *ring) words() uint64 {
	if r.wrapped {
		return r.wrapAt - r.tail + r.head - r.start
	}
	return r.head - r.tail
}

// A walk goes through the blocks that a ring has when it begins, from the tail on, in steps between
// which others may use the ring. It comes to each block that stays where it is, and to some of
// those that are put there meanwhile.
type walk struct {
	at       uint64 // of the next block
	gone     uint64 // words that will have been taken away when that block is at the tail
	lastGone uint64 // and when all blocks of the beginning are
}

func (r *ring) walk() walk { return walk{r.tail, r.gone, r.gone + r.words()} }

// next returns the place of the next block, if there is one.
func (w *walk) next(r *ring) (at uint64, ok bool) {
	switch {
	case w.gone <= r.gone:
		w.at, w.gone = r.tail, r.gone
	case r.wrapped && w.at == r.wrapAt:
		w.at = r.start
	}
	return w.at, w.gone < min(w.lastGone, r.gone+r.words())
}

// pass goes on behind the block, which has n words.
func (w *walk) pass(n uint64) {
	w.at += n
	w.gone += n
}

// each calls f with the place of each block from the tail on. f returns the block's words.
func (r *ring) each(f func(at uint64) uint64) {
	at := r.tail
	if r.wrapped {
		for at < r.wrapAt {
			at += f(at)
		}
		at = r.start
	}
	for at < r.head {
		at += f(at)
	}
}
