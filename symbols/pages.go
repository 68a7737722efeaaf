package symbols

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A page is a hash table of 64 to 512 words, a power of two. Word 0 is the number of symbols in it.
// Each other word is 0 or contains a symbol. The low half of the word is the symbol. The high half
// contains 32 bits of the hash of its string: the upper bits select the page, and the lower bits
// select the word at which a search begins. The search proceeds upward from that word.
//
// A pageRef describes a page: its offset in units of 64 words, the logarithm of its size in words,
// and the number of hash bits that select it (depth). It is never 0. For a given hash, depth and
// size only ever grow, so a pageRef that was replaced is never used again.
type pageRef uint64

const (
	leastLog    = 6
	greatestLog = 9
	maxDepth    = 23 // the other 9 bits of a hash select the word
)

func refOf(unit uint32, log, depth uint) pageRef {
	return pageRef(unit)<<32 | pageRef(log)<<8 | pageRef(depth)
}

func (r pageRef) unit() uint32 { return uint32(r >> 32) }
func (r pageRef) log() uint    { return uint(r >> 8 & 0xFF) }
func (r pageRef) depth() uint  { return uint(r & 0xFF) }

// room returns the maximum number of symbols in a page of the given size: 13 for every 16 words. An
// unsuccessful look-up then reads 15 words on average in a full page.
func room(words uint64) uint64 { return words * 13 / 16 }

// pages allocates pages. Its lock is taken after the lock of a shard.
type pages struct {
	mu     sync.Mutex
	region *vmem.Region
	words  []atomic.Uint64           // words of the whole region, committed or not
	units  uint32                    // number of units taken from the start of the region
	free   [greatestLog + 1][]uint32 // released pages, by the logarithm of their size
}

// page returns the words of a page.
func (p *pages) page(r pageRef) []atomic.Uint64 {
	return p.words[uint64(r.unit())<<leastLog:][:1<<r.log()]
}

// take returns a page of zeros. Readers may still be reading the page that used this memory before.
func (p *pages) take(log, depth uint) (pageRef, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free[log]); n > 0 {
		r := refOf(p.free[log][n-1], log, depth)
		p.free[log] = p.free[log][:n-1]
		words := p.page(r)
		for i := range words {
			words[i].Store(0)
		}
		return r, nil
	}
	end := uint64(p.units) + 1<<(log-leastLog)
	if end > min(uint64(len(p.words)>>leastLog), math.MaxUint32) {
		return 0, fmt.Errorf("%w: the index has only %d bytes of address space", ErrFull, 8*len(p.words))
	}
	if err := p.region.Commit(uintptr(end << leastLog * 8)); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrFull, err)
	}
	r := refOf(p.units, log, depth)
	p.units = uint32(end)
	return r, nil
}

// giveBack keeps the memory of a page for reuse. New look-ups can no longer find the page.
func (p *pages) giveBack(r pageRef) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[r.log()] = append(p.free[r.log()], r.unit())
}

// put adds a symbol to a page. It returns false if the page has no free word, which happens only
// with a damaged file.
func put(page []atomic.Uint64, hash uint32, s Symbol) bool {
	mask := uint32(len(page) - 1)
	for i := range mask + 1 {
		at := (hash + i) & mask
		if at != 0 && page[at].Load() == 0 {
			page[0].Store(page[0].Load() + 1)
			page[at].Store(uint64(hash)<<32 | uint64(s)) // from now on, readers can find the symbol
			return true
		}
	}
	return false
}

// move copies all symbols of a page into other pages, which readers cannot find yet. The parameter
// to is a function that returns the page for a hash.
func move(from []atomic.Uint64, to func(hash uint32) []atomic.Uint64) {
	for i := range from[1:] {
		if w := from[i+1].Load(); w != 0 {
			put(to(uint32(w>>32)), uint32(w>>32), Symbol(w))
		}
	}
}
