package hashmap

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/coppice-go/coppice/internal/called"
	"github.com/coppice-go/coppice/internal/texts"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A table implements the part of a Map that does not depend on the types of keys and values: the
// directory, the pages, and the region that holds their memory.
//
// The index of a directory entry consists of the upper bits of a hash, as many as the depth of the
// directory. If a page has a smaller depth than the directory, several adjacent entries refer to
// it. Only Clear decreases the number of pages.
type table struct {
	base   address // start of the region
	dir    []ref
	shift  uint8       // 64 minus the depth of the directory, which is at least 1
	simple bool        // all bytes of a key are significant, and it is not a string
	text   bool        // keys are strings
	left   []uint32    // number of usable empty slots of each page, at the page's first directory entry
	heap   *texts.Heap // the strings of string keys; nil, which is an empty heap, for other keys
	next   *waiting    // the next directory; nil while the directory is short

	length  int
	changes uint64 // number of changes since the map was made; loops over All check it
	resets  uint64 // number of changes that removed all entries
	most    int    // the maximum length, 0 for no limit

	region     *vmem.Region
	huge       vmem.HugePages
	watched    bool // lock-free readers validate afterwards, so reading the memory must never fault
	account    *vmem.Account
	groupBytes uint64
	maxLog     uint8      // log2 of the number of groups at which a page is divided, not enlarged
	top        uint64     // bytes of the region that are, or were, pages or free blocks
	free       [][]uint64 // offsets of free blocks by log; the length is the largest log used so far plus 1
	pages      int
	verified   bool // everything was checked when the file was opened
	unusual    bool // the opened file has pages beyond maxLog
}

// A ref describes a page. From the lowest bit up, it contains the depth of the page (8 bits), the
// logarithm of its group count (8 bits) and its offset in units of 8 bytes (40 bits). The upper 8
// bits are 0.
type ref uint64

func newRef(at uint64, log, depth uint8) ref { return ref(at>>3<<16 | uint64(log)<<8 | uint64(depth)) }

// at returns the offset of the page in the region.
func (r ref) at() uint64 { return uint64(r>>16) << 3 }

// mask returns the number of groups, which is a power of two, minus one.
func (r ref) mask() uint64 { return 1<<(uint8(r>>8)&63) - 1 }

func (r ref) log() uint8   { return uint8(r >> 8) }
func (r ref) depth() uint8 { return uint8(r) }

const (
	maxLog    = 7         // a page has at most 128 groups, as long as hashes are well distributed
	leastLog  = 2         // a page of fewer than 4 groups is never divided, however large its entries are
	skewLog   = 30        // the maximum for a page whose keys cannot be divided
	pageBytes = 256 << 10 // size above which pages of large entries have fewer groups
	maxBytes  = 1 << 43   // size of the memory that a ref can address
	mostDepth = 40        // maximum depth of a page, for any number of pages
)

// room returns the number of slots that may be used in a page of 1<<log groups, which is seven
// eighths of its slots.
func room(log uint8) uint32 { return slots << log / 8 * 7 }

// open reserves memory for a table. The table must be zero except for its options and the fields
// that describe its keys. open fails if it cannot reserve the minimum of least bytes.
func (t *table) open(groupBytes, least uint64, most int, account *vmem.Account) error {
	size, floor := uint64(vmem.DefaultSize()), max(least, 4*groupBytes)
	if most > 0 { // pages that were just divided are 7/16 full, and a divided page coexists with its halves
		groups := min(uint64(most)/3+3<<maxLog, 8*uint64(most)) // a small table has one page, and its smaller predecessors stay allocated
		if over, bytes := bits.Mul64(groups, groupBytes); over != 0 || bytes > uint64(^uintptr(0)>>2) {
			return fmt.Errorf("%d entries exceed the address space; set a smaller Options.Max", most)
		}
		floor = max(floor, groups*groupBytes)
	}
	size = min(max(size, floor), maxBytes)
	if floor > size || floor > uint64(^uintptr(0)>>2) {
		return fmt.Errorf("%d bytes exceed the address space", floor)
	}
	reserve := vmem.ReserveSmall
	if t.watched {
		reserve = vmem.ReserveWatched
	}
	region, err := reserve(uintptr(size), uintptr(floor), t.huge, account)
	if err != nil {
		return err
	}
	t.region, t.account, t.base, t.groupBytes, t.most, t.maxLog = region, account, baseOf(region), groupBytes, most, maxLog
	for t.maxLog > leastLog && groupBytes<<t.maxLog > pageBytes {
		t.maxLog--
	}
	if t.text {
		t.heap = texts.Open(0, t.huge, account)
		if t.watched {
			t.heap.Watch()
		}
	}
	return nil
}

// begin creates the first page.
func (t *table) begin() error {
	_, at, err := t.takeFor(0)
	if err != nil {
		return err
	}
	r := newRef(at, 0, 0)
	t.dir, t.left, t.shift, t.pages = []ref{r, r}, []uint32{room(0), 0}, 63, 1
	return nil
}

// reset drops all pages and keeps the memory. The parameter where names the method that the user
// called, for panic messages.
func (t *table) reset(where string) {
	for i := range t.free {
		t.free[i] = nil
	}
	t.top, t.length, t.pages, t.next = 0, 0, 0, nil
	t.changes++
	t.resets++
	t.heap.Reset()
	if err := t.begin(); err != nil {
		panic(where + ": the first block is memory: " + err.Error()) // unreachable in tests: the block was committed before
	}
}

// take allocates a block for a page of 1<<log groups, makes its slots empty, and returns its
// offset.
func (t *table) take(log uint8) (uint64, error) {
	at := t.top
	if free := t.freeOf(log); len(*free) > 0 {
		at = (*free)[len(*free)-1]
		*free = (*free)[:len(*free)-1]
	} else {
		size := t.groupBytes << log
		if size > uint64(t.region.Size())-t.top {
			return 0, fmt.Errorf("%w: its %d bytes of pages are all that was reserved", ErrFull, t.top)
		}
		if err := t.region.Commit(uintptr(t.top + size)); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrFull, err)
		}
		t.base = baseOf(t.region) // a small region may have moved
		t.top += size
	}
	t.empty(at, log)
	return at, nil
}

// takeFor implements take for the first page, and for a page that replaces another. If the region
// is on the Go heap and contains nothing but the page that is replaced, the new page is in new
// memory, and old is the memory of the old page. Otherwise old is nil.
func (t *table) takeFor(log uint8) (old vmem.Old, at uint64, err error) {
	size := uintptr(t.groupBytes << log)
	if t.pages != 1 && t.region.Committed() > 0 || !t.region.CanRenew(size) {
		at, err = t.take(log)
		return nil, at, err
	}
	if old, err = t.region.Renew(size); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrFull, err)
	}
	t.base, t.top, t.free = baseOf(t.region), uint64(size), nil
	t.empty(0, log)
	return old, 0, nil
}

// empty makes all slots empty in the block at offset at, for a page of 1<<log groups.
func (t *table) empty(at uint64, log uint8) {
	for i := range uint64(1) << log {
		*controlAt(t.base, at, i, t.groupBytes) = allEmpty
	}
}

// give frees the block of page r, so that take can allocate it again.
func (t *table) give(r ref) {
	free := t.freeOf(r.log())
	*free = append(*free, r.at())
}

// freeOf returns the list of free blocks for pages of 1<<log groups.
func (t *table) freeOf(log uint8) *[]uint64 {
	for len(t.free) <= int(log) {
		t.free = append(t.free, nil)
	}
	return &t.free[log]
}

// depth returns the depth of the directory.
func (t *table) depth() uint8 { return 64 - t.shift }

// index returns the index of the directory entry for a hash.
func (t *table) index(hash uint64) uint64 { return hash >> (t.shift & 63) }

// first returns the index of the first directory entry that refers to the same page as entry i.
func (t *table) first(i uint64) uint64 { return i &^ (1<<(t.depth()-t.dir[i].depth()) - 1) }

// point makes count directory entries, from index first on, refer to page r. left is the number of
// empty slots of the page that may still be used.
func (t *table) point(first, count uint64, r ref, left uint32) {
	for i := first; i < first+count; i++ {
		t.dir[i] = r
	}
	t.left[first] = left
}

// maxDepth returns the maximum depth of the directory of a table with the given number of pages.
// Without a limit, keys that were chosen to have nearly the same hashes could make the directory
// grow without bound. With well-distributed hashes, a limit that is lower by 2 would suffice.
func maxDepth(pages int) uint8 { return uint8(min(bits.Len(uint(pages))+4, mostDepth)) }

// deepen doubles the directory, which it copies. The directory has 12 bytes for about every six
// hundred entries of the Map.
func (t *table) deepen() {
	next := t.next
	if next == nil || len(next.dir) != 2*len(t.dir) {
		next = newWaiting(2 * len(t.dir))
	}
	for i, r := range t.dir {
		next.dir[2*i], next.dir[2*i+1] = r, r
		next.left[2*i] = t.left[i]
	}
	t.dir, t.left, t.next = next.dir, next.left, nil
	t.shift--
}

// A waiting is zeroed memory for the next directory. The system supplies memory only when it is
// first written, and this takes several times as long as copying the directory. Therefore each
// division of a page writes to a small part of this memory, long before deepen needs it.
type waiting struct {
	dir     []ref
	left    []uint32
	written int // number of entries up to which memory was written
}

const (
	leastWaiting = 1 << 16 // minimum length of a directory that is written ahead; deepening to a shorter one takes less than 0.4 ms (BenchmarkDeepen)
	writtenAhead = 512     // entries per write, one page of memory
)

func newWaiting(n int) *waiting { return &waiting{dir: make([]ref, n), left: make([]uint32, n)} }

// ahead writes to the next small part of the memory for the next directory, so that the system
// supplies it.
func (t *table) ahead() {
	n := 2 * len(t.dir)
	switch w := t.next; {
	case n < leastWaiting:
	case w == nil || len(w.dir) != n:
		t.next = newWaiting(n)
	case w.written < n:
		w.dir[w.written], w.left[w.written] = 0, 0
		w.written += writtenAhead
	}
}

// entries returns the number of entries in page r.
func (t *table) entries(r ref) (n int) {
	for i := range r.mask() + 1 {
		n += bits.OnesCount64(uint64(fullSlots(*controlAt(t.base, r.at(), i, t.groupBytes))))
	}
	return n
}

// close releases all memory.
func (t *table) close() error {
	if err := errors.Join(t.region.Close(), t.heap.Close()); err != nil {
		return err
	}
	*t = table{changes: t.changes + 1}
	return nil
}

// copyFrom makes t, which must be the zero table, a copy of other.
func (t *table) copyFrom(other *table, account *vmem.Account) error {
	t.huge, t.watched, t.text = other.huge, other.watched, other.text
	if err := t.open(other.groupBytes, other.top, other.most, account); err != nil {
		return err
	}
	if err := t.region.Commit(uintptr(other.top)); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrFull, err), t.close())
	}
	t.base = baseOf(t.region)
	heap, err := other.heap.Clone(account)
	if err != nil {
		return errors.Join(err, t.close())
	}
	copy(bytesAt(t.base, 0, other.top), bytesAt(other.base, 0, other.top))
	t.heap, t.dir, t.left = heap, append([]ref(nil), other.dir...), append([]uint32(nil), other.left...)
	t.shift, t.simple, t.length, t.top, t.pages = other.shift, other.simple, other.length, other.top, other.pages
	for log, places := range other.free {
		*t.freeOf(uint8(log)) = slices.Clone(places)
	}
	return nil
}

// emptyIn returns the group and the slot in page r for a new key with the given hash. The page must
// have an empty slot.
func (t *table) emptyIn(r ref, hash uint64) (group uint64, slot int) {
	mask, at := r.mask(), r.at()
	group = groupBits(hash) & mask
	for step := range mask + 1 {
		group = (group + step) & mask // triangular numbers visit each group of a power of two
		if free := freeSlots(*controlAt(t.base, at, group, t.groupBytes)); free != 0 {
			return group, free.first()
		}
	}
	panic(called.Method() + ": a page has more entries than slots") // makeRoom counts the entries, so no file can cause this
}

// width returns the number of directory entries that refer to page r.
func (t *table) width(r ref) uint64 { return 1 << (t.depth() - r.depth()) }

// behind returns the smallest hash that is greater than all hashes of the page to which hash
// belongs. depth is the depth of that page. behind returns false if the page is the last one.
func behind(hash uint64, depth uint8) (uint64, bool) {
	if depth == 0 {
		return 0, false
	}
	low := 64 - depth
	next := (hash>>low + 1) << low
	return next, next != 0
}
