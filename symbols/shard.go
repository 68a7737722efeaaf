package symbols

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/layout"
)

// A shard holds the symbols whose hashes have the same upper 6 bits. Its pages are found by
// extendible hashing (Fagin, Nievergelt, Pippenger and Strong, 1979): a directory of 2^depth refs,
// indexed by the next bits of the hash. A full page is replaced by a page of twice the size. A full
// page of 512 words is instead replaced by two pages, between which its symbols are divided. Adding
// a symbol therefore rarely costs more than two pages and the copy of a directory.
//
// Readers take no lock. A symbol that they find is always valid, because a symbol never changes. If
// a reader finds nothing, it checks whether the page was still in place afterwards, and starts
// again if it was not: the page may have been reused while it was read (docs/decisions/0032).
type shard struct {
	mu  sync.Mutex // held while a symbol is added
	dir atomic.Pointer[directory]
	_   [layout.CacheLine]byte
}

const shardBits = 6

// A directory is replaced as a whole when it grows; its refs change in place.
type directory struct {
	depth uint
	refs  []atomic.Uint64 // 1<<depth values of type pageRef
}

// index returns the index of a hash in the directory.
func (d *directory) index(hash uint32) uint32 { return uint32(uint64(hash) >> (32 - d.depth)) }

// find returns the symbol of a string, or 0.
func (t *Table) find(sh *shard, hash uint32, text string) Symbol {
	for {
		dir := sh.dir.Load()
		if dir == nil {
			return 0
		}
		ref := &dir.refs[dir.index(hash)]
		r := pageRef(ref.Load())
		if s := t.findIn(r, hash, text); s != 0 {
			return s
		}
		if pageRef(ref.Load()) == r && sh.dir.Load() == dir {
			return 0
		}
	}
}

// findIn searches one page.
func (t *Table) findIn(r pageRef, hash uint32, text string) Symbol {
	if r == 0 {
		return 0
	}
	page := t.pages.page(r)
	mask := uint32(len(page) - 1)
	for i := range uint32(len(page)) {
		at := (hash + i) & mask
		if at == 0 {
			continue // word 0 holds the count
		}
		w := page[at].Load()
		if w == 0 {
			return 0
		}
		if uint32(w>>32) == hash {
			if found, ok := t.text(Symbol(w)); ok && found == text {
				return Symbol(w)
			}
		}
	}
	return 0
}

// makeRoom returns the page for a hash, with room for one more symbol. The shard must be locked.
func (t *Table) makeRoom(sh *shard, hash uint32) ([]atomic.Uint64, error) {
	dir := sh.dir.Load()
	if dir == nil {
		dir = &directory{refs: make([]atomic.Uint64, 1)}
		sh.dir.Store(dir)
	}
	for {
		r := pageRef(dir.refs[dir.index(hash)].Load())
		if r != 0 {
			page := t.pages.page(r)
			if page[0].Load() < room(uint64(len(page))) {
				return page, nil
			}
		}
		var err error
		switch {
		case r == 0:
			if r, err = t.pages.take(leastLog, dir.depth); err == nil {
				dir.refs[dir.index(hash)].Store(uint64(r))
			}
		case r.log() < greatestLog:
			err = t.enlarge(dir, hash, r)
		default:
			dir, err = t.split(sh, dir, hash, r)
		}
		if err != nil {
			return nil, err
		}
	}
}

// enlarge replaces a page with a page of twice as many words.
func (t *Table) enlarge(dir *directory, hash uint32, r pageRef) error {
	next, err := t.pages.take(r.log()+1, r.depth())
	if err != nil {
		return err
	}
	to := t.pages.page(next)
	move(t.pages.page(r), func(uint32) []atomic.Uint64 { return to })
	dir.replace(hash, r.depth(), next, next)
	t.pages.giveBack(r)
	return nil
}

// split replaces a page with two pages, and divides its symbols between them by the next bit of
// their hashes. It returns the directory, which may be a new one.
func (t *Table) split(sh *shard, dir *directory, hash uint32, r pageRef) (*directory, error) {
	depth := r.depth() + 1
	if depth > t.mostDepth() {
		return dir, fmt.Errorf("%w: more texts than a page holds have nearly the same hash", ErrFull)
	}
	low, err := t.pages.take(greatestLog, depth)
	if err != nil {
		return dir, err
	}
	high, err := t.pages.take(greatestLog, depth)
	if err != nil {
		t.pages.giveBack(low)
		return dir, err
	}
	if depth > dir.depth {
		dir = dir.double()
		sh.dir.Store(dir)
	}
	lows, highs := t.pages.page(low), t.pages.page(high)
	move(t.pages.page(r), func(hash uint32) []atomic.Uint64 {
		if hash>>(32-depth)&1 == 0 {
			return lows
		}
		return highs
	})
	dir.replace(hash, r.depth(), low, high)
	t.pages.giveBack(r)
	return dir, nil
}

// mostDepth limits the division of pages: a directory has at most eight refs for each symbol that
// its shard should have, about a thousand times what well-distributed hashes need. A file can be
// constructed so that the hashes of its strings agree. Because of this limit, the time for such a
// file is proportional to the size of the file.
func (t *Table) mostDepth() uint {
	return min(maxDepth, uint(bits.Len32(t.count.Load()>>shardBits))+2)
}

// double returns a directory that contains each ref twice.
func (d *directory) double() *directory {
	next := &directory{d.depth + 1, make([]atomic.Uint64, 2*len(d.refs))}
	for i := range next.refs {
		next.refs[i].Store(d.refs[i/2].Load())
	}
	return next
}

// replace overwrites all refs that share the first depth bits of the hash: the first half of them
// with low, and the second half with high. low and high may be the same ref.
func (d *directory) replace(hash uint32, depth uint, low, high pageRef) {
	n := uint32(1) << (d.depth - depth)
	first := d.index(hash) &^ (n - 1)
	for i := range n {
		r := low
		if i >= n/2 {
			r = high
		}
		d.refs[first+i].Store(uint64(r))
	}
}
