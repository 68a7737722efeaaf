package cache

// A ring is a queue of blocks with the oldest at its tail. It occupies the words from start to
// limit of a shard's log; start, limit and the other positions are indexes of words. A block is
// never divided. If a block does not fit between the last block and the limit, it is placed at the
// start, and the words before the limit are not used in this round. The blocks are in the order of
// the queue, so links are not needed.
//
//	start    tail           head            limit
//	|  free  | block | block |     free     |            not wrapped
//
//	start            head    tail           wrapAt limit
//	| block | block  | free  | block | block |     |     wrapped
type ring struct {
	start, limit uint64
	head, tail   uint64
	wrapAt       uint64 // end of the last block before limit, if wrapped
	wrapped      bool
	live         int    // number of blocks that are in the table
	gone         uint64 // total size of all blocks removed so far, in words
}

// begin removes all blocks from the ring and sets its bounds.
func (r *ring) begin(start, limit uint64) {
	*r = ring{start: start, limit: limit, head: start, tail: start, gone: r.gone + r.words()}
}

func (r *ring) empty() bool { return !r.wrapped && r.head == r.tail }

// size returns the size of the ring in words, which is also the maximum size of a block.
func (r *ring) size() uint64 { return r.limit - r.start }

// top returns the index at which the block with the highest index ends.
func (r *ring) top() uint64 {
	if r.wrapped {
		return r.wrapAt
	}
	return r.head
}

// has reports whether there is room for n words without evicting a block.
func (r *ring) has(n uint64) bool {
	switch {
	case r.wrapped:
		return n <= r.tail-r.head
	case r.empty():
		return n <= r.size()
	}
	return r.head+n <= r.limit || n <= r.tail-r.start
}

// take reserves n words and returns the index of the first one. It returns false if a block must be
// evicted first. The parameter most is the index at which the memory available to the ring ends.
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

// drop removes the block at the tail, which has n words.
func (r *ring) drop(n uint64) {
	r.gone += n
	r.tail += n
	if r.wrapped && r.tail == r.wrapAt {
		r.tail, r.wrapped = r.start, false
	}
}

// words returns the total size of all blocks, in words.
func (r *ring) words() uint64 {
	if r.wrapped {
		return r.wrapAt - r.tail + r.head - r.start
	}
	return r.head - r.tail
}

// A walk visits the blocks of a ring in steps, starting at the tail. Other goroutines may use the
// ring between the steps. The walk visits each block that was in the ring when the walk began and
// has not been moved since, and some of the blocks that are added during the walk.
type walk struct {
	at       uint64 // index of the next block
	gone     uint64 // value of ring.gone when the next block is at the tail
	lastGone uint64 // value of ring.gone when all initial blocks have been removed
}

func (r *ring) walk() walk { return walk{r.tail, r.gone, r.gone + r.words()} }

// next returns the index of the next block, if there is one.
func (w *walk) next(r *ring) (at uint64, ok bool) {
	switch {
	case w.gone <= r.gone:
		w.at, w.gone = r.tail, r.gone
	case r.wrapped && w.at == r.wrapAt:
		w.at = r.start
	}
	return w.at, w.gone < min(w.lastGone, r.gone+r.words())
}

// pass moves the walk past the current block, which has n words.
func (w *walk) pass(n uint64) {
	w.at += n
	w.gone += n
}

// each calls f with the index of each block, starting at the tail. f must return the block's size
// in words.
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
