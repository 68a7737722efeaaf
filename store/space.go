package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A space manages the slots of a Store as memory. It records which slots have been taken, which of
// the taken slots are dead, and which slots are zero. It depends neither on T nor on the contents
// of the slots. Slot i holds the record of ref i; slot 0 is the nil record.
//
//	0    1 ............................ top ............. max
//	nil  taken                               fresh
//	     [ zero or not ...... dirty ][ zero ... ]
//
// Invariants: a slot is dead if and only if it is in one run of free; a dead slot was taken; every
// dead slot is zero, and so is every slot above dirty; every slot up to top is committed. verify.go
// checks them.
type space struct {
	size uintptr // size of a slot in bytes
	max  uint32  // the largest ref
	top  uint32  // slots up to top have been taken since the last Reset

	dirty uint32 // slots up to dirty may be non-zero
	free  []run  // dead slots; the last run is used first
	holes uint32 // number of slots in free
	dead  bitmap // set of the slots in free

	huge    vmem.HugePages
	region  *vmem.Region
	account *vmem.Account
}

// reserve reserves address space for the given number of records, or for the default if the number
// is 0, and commits memory for the nil record. The error message begins with the caller's name,
// which is passed in where.
func (p *space) reserve(where string, records int) error {
	size := vmem.DefaultSize()
	if records > 0 {
		if uint64(records) > uint64(^uintptr(0)>>1)/uint64(p.size)-1 {
			return fmt.Errorf("%s: %d records of %d bytes exceed the address space; set a smaller Options.Max", where, records, p.size)
		}
		size = (uintptr(records) + 1) * p.size
	}
	size = max(size, 2*p.size)
	least := size
	if records == 0 {
		least = max(1<<20, 2*p.size)
	}
	region, err := vmem.ReserveSome(size, least, p.huge, p.account)
	if err != nil {
		return fmt.Errorf("%s: %w; or set a smaller Options.Max", where, err)
	}
	p.region = region
	p.max = uint32(min(uint64(region.Size()/p.size)-1, MaxRecords))
	if records > 0 {
		p.max = uint32(records)
	}
	if err := region.Commit(p.size); err != nil {
		return fmt.Errorf("%s: %w: %w", where, ErrFull, errors.Join(err, region.Close()))
	}
	return nil
}

// end returns the offset of the byte after a slot.
func (p *space) end(slot uint32) uintptr { return (uintptr(slot) + 1) * p.size }

// bytes returns the bytes of the slots from first to last, which must be committed.
func (p *space) bytes(first, last uint32) []byte {
	return bytesOf(p.region, uintptr(first)*p.size, p.end(last))
}

// takeFresh takes n slots above top. If there is not enough room or memory for n slots, it takes
// fewer, but not fewer than the number in least. Otherwise it fails. It returns the first slot that
// it took, and how many it took.
func (p *space) takeFresh(n, least uint32) (first, got uint32, err error) {
	room := p.max - p.top
	if room < least {
		return 0, 0, fmt.Errorf("%w: it holds %d records, and the maximum is %d", ErrFull, p.top-p.holes, p.max)
	}
	n = min(n, room)
	if err := p.region.Commit(p.end(p.top + n)); err != nil {
		n = least
		if err := p.region.Commit(p.end(p.top + n)); err != nil {
			return 0, 0, fmt.Errorf("%w: it holds %d records, and %w", ErrFull, p.top-p.holes, err)
		}
	}
	if p.dirty > p.top {
		clear(p.bytes(p.top+1, min(p.dirty, p.top+n)))
	}
	first = p.top + 1
	p.top += n
	p.dirty = max(p.dirty, p.top)
	return first, n, nil
}

// takeRow takes n consecutive slots and returns the first. It takes fresh slots or, if there are
// too few fresh slots, dead slots.
func (p *space) takeRow(n uint32) (uint32, error) {
	first, _, err := p.takeFresh(n, n)
	if err != nil {
		if hole, ok := p.takeHole(n); ok {
			return hole, nil
		}
	}
	return first, err
}

// takeNewestHole takes the run of dead slots that was added last. It returns false if there is
// none.
func (p *space) takeNewestHole() (r run, ok bool) {
	if len(p.free) == 0 {
		return r, false
	}
	r = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.holes -= r.len()
	p.dead.clear(r)
	return r, true
}

// takeHole takes n consecutive dead slots and returns the first. It returns false if there is no
// run of that length. It searches all runs, so it is called only if the store is otherwise full.
func (p *space) takeHole(n uint32) (first uint32, ok bool) {
	for i := range p.free {
		r := &p.free[i]
		if r.len() < n {
			continue
		}
		taken := run{r.first, r.first + n - 1}
		if taken.last == r.last {
			p.free = slices.Delete(p.free, i, i+1)
		} else {
			r.first += n
		}
		p.holes -= n
		p.dead.clear(taken)
		return taken.first, true
	}
	return 0, false
}

// addHole marks the slots of the run, which must already be zero, as dead.
func (p *space) addHole(r run) {
	p.dead.set(r, p.top)
	p.holes += r.len()
	if n := len(p.free); n > 0 {
		switch newest := &p.free[n-1]; { // records are often deleted in order
		case newest.last+1 == r.first:
			newest.last = r.last
			return
		case r.last+1 == newest.first:
			newest.first = r.first
			return
		}
	}
	p.free = append(p.free, r)
}

// reset makes all slots fresh. Its cost does not depend on the number of slots, unless a slot was
// ever deleted: reset then clears the bitmap of dead slots, which has one bit per slot.
func (p *space) reset() {
	p.top = 0
	p.free, p.holes = p.free[:0], 0
	clear(p.dead)
}

// mangle overwrites all records, so that a read after Reset is noticed. It is called only in
// checked builds.
func (p *space) mangle() {
	if p.top == 0 {
		return
	}
	records := p.bytes(1, p.top)
	for i := range records {
		records[i] = 0xDB
	}
}

// lower lowers top while the slot at top is dead. This makes dead slots at the end fresh.
func (p *space) lower() {
	for p.top > 0 && p.dead.has(p.top) {
		p.top--
	}
	p.free = slices.DeleteFunc(p.free, func(r run) bool { return r.first > p.top })
	p.holes = 0
	for _, r := range p.free { // no run crosses top, which is not dead
		p.holes += r.len()
	}
	p.dead = p.dead.upTo(p.top)
}

// trim returns the memory above top to the system.
func (p *space) trim() error {
	if err := p.region.Decommit(p.end(p.top)); err != nil {
		return err
	}
	p.dirty = uint32(min(uint64(p.dirty), uint64(p.region.Committed()/p.size)))
	return nil
}

// copyFrom copies the slots of another space, up to and including slot last. The memory for them
// must already be committed.
func (p *space) copyFrom(from *space, last uint32) {
	copy(p.bytes(0, last), from.bytes(0, last))
	p.dirty = max(p.dirty, last)
	p.free, p.holes = append(p.free[:0], from.free...), from.holes
	p.dead = append(p.dead[:0], from.dead...)
	p.top = from.top
}

// close releases all memory.
func (p *space) close() error {
	p.top = 0
	p.free, p.holes, p.dead = nil, 0, nil
	return p.region.Close()
}
