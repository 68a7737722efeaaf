package cache

import (
	"errors"
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A shard is a complete cache for the entries whose hashes have the same upper bits. Its memory
// consists of two regions, the index and the log. The index contains the slots of the table,
// followed by the words of the ghost. The log contains the younger queues, followed by the main
// queue. Their total size is at most the limit of the shard; when the index grows, the log becomes
// shorter.
//
// The policy is S3-FIFO (Yang, Zhang, Qiu, Yue and Rashmi, FIFO queues are all you need for cache
// eviction, SOSP 2023). New entries go to the small queue, a tenth of the log. When an entry leaves
// the small queue after two or more uses, it moves to the main queue. Other entries are evicted,
// and their hashes are stored in the ghost. If such an entry is soon set again, it goes directly to
// the main queue. In the main queue, a used entry stays for one more round for each use, at most
// three. While the main queue has room, which is the case at first and after deletions and
// expirations, all entries that leave the small queue move to the main queue, so that all memory is
// used. A tenth of the small queue is a separate queue, the brief queue. In modes other than
// balanced (adapt.go), new entries go to the main queue or to the brief queue. The brief and the
// small queue together are the younger queues.
type shard struct {
	mu lock
	contents
	hits, misses atomic.Uint64

	_ [layout.CacheLine]byte
}

// contents holds the fields of a shard that SetMaximum replaces.
type contents struct {
	blocks
	table table
	ghost ghost
	adapt adaptation

	brief, small, main     ring
	watch                  watcher // nil if removals are not reported
	evictions, expirations uint64
	chances                int // number of entries that stayed for another round since the last eviction
	budget                 checks.Budget

	index, log *vmem.Region
	slots      []uint64 // the whole index, committed or not; nil after the shard is closed
	indexBytes uint64   // size of the part of the index that the table and the ghost use
	mostIndex  uint64
	bound      uint64
}

// A watcher records the entries that are removed from a shard while the shard is locked, so that
// they can be reported after the shard is unlocked.
type watcher interface {
	note(s *shard, at uint64, why DeletionCause)
	take() (announce func()) // returns a function that reports the recorded removals, or nil
}

// mostChances is the maximum number of consecutive used entries that stay in the main queue for
// another round. The next entry is evicted even if it was used. This limits the cost of an eviction
// if all entries are in use.
const mostChances = 1024

// bytesPerSlot is the number of bytes of the index for each slot: 8 for the slot, and 4 for a word
// of the ghost.
const bytesPerSlot = 8 + 4

// slotsOf returns the number of slots in an index of the given size: a multiple of eight, so that
// the ghost's buckets are aligned.
func slotsOf(indexBytes uint64) uint64 { return indexBytes / bytesPerSlot &^ 7 }

// open reserves the memory of a shard. The parameter bound is the limit in bytes: a whole number of
// pieces, at least two.
func (s *shard) open(f *form, bound uint64, account *vmem.Account) (err error) {
	s.form, s.bound, s.mostIndex = f, bound, f.mostIndex(bound)
	if s.index, err = vmem.Reserve(uintptr(s.mostIndex), vmem.HugeAuto, account); err != nil {
		return err
	}
	if s.log, err = vmem.Reserve(uintptr(bound-vmem.Piece), vmem.HugeAuto, account); err != nil {
		return errors.Join(err, s.index.Close())
	}
	if err = s.index.CommitWithin(vmem.Piece, vmem.Piece); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrFull, err), s.index.Close(), s.log.Close())
	}
	s.slots = slotsIn(s.index, s.mostIndex/8)
	s.words, s.bytes = wordsIn(s.log, (bound-vmem.Piece)/8), bytesIn(s.log, bound-vmem.Piece)
	s.reset()
	return nil
}

// mostIndex returns the maximum index size in bytes, which is a multiple of the piece size. If all
// blocks have the same size, the maximum is the size that the table needs when the log is full.
// Otherwise it is half of the shard's size.
func (f *form) mostIndex(bound uint64) uint64 {
	most := bound / 2 / vmem.Piece
	if f.varies() {
		return most * vmem.Piece
	}
	words := f.measure(0, uint64(f.keyBytes), uint64(f.valueBytes))
	return vmem.Piece * (1 + uint64(sort.Search(int(most)-1, func(i int) bool {
		n := vmem.Piece * uint64(i+1)
		return uint64(mostOf(int(slotsOf(n)))) >= (bound-n)/8/words
	})))
}

// reset removes all entries from the shard and keeps the memory.
func (s *shard) reset() {
	if s.indexBytes == 0 {
		s.indexBytes = vmem.Piece
	}
	n := slotsOf(s.indexBytes)
	clear(s.slots[:n])
	s.table = newTable(s.slots[:n])
	s.ghost = newGhost(halves(s.slots[n : n+n/2]))
	words := (s.bound - s.mostIndex) / 8 // final size of the log in words
	if s.form.varies() {
		words = min(s.bound*9/10, s.bound-vmem.Piece) / 8 // an estimate, because block sizes vary
	}
	s.brief.begin(0, words/100)
	s.small.begin(words/100, words/10)
	s.main.begin(words/10, (s.bound-s.indexBytes)/8)
	s.adapt.begin(balanced, s.ghost.added)
}

func (s *shard) close() error {
	s.table, s.slots, s.words, s.bytes = table{}, nil, nil, nil
	return errors.Join(s.index.Close(), s.log.Close())
}

// committed returns the number of bytes of memory that the shard has committed.
func (s *shard) committed() uint64 { return uint64(s.index.Committed() + s.log.Committed()) }

// hash returns the hash of a block's key.
func (s *shard) hash(at uint64) uint64 { return s.form.hashOf(s.key(at)) }

// ringOf returns the queue that contains a block.
func (s *shard) ringOf(at uint64) *ring {
	switch {
	case at >= s.small.limit:
		return &s.main
	case at >= s.brief.limit:
		return &s.small
	}
	return &s.brief
}

// queues returns the queues of a shard, the youngest first.
func (s *shard) queues() [3]*ring { return [3]*ring{&s.brief, &s.small, &s.main} }

// end commits memory for n more words of a queue, and returns the index at which the memory
// available to the queue ends. If the system has no memory, this is at most the end of the memory
// that is already committed.
func (s *shard) end(r *ring, n uint64) uint64 {
	start, most := r.head, uint64(s.log.Committed())/8
	if r.empty() {
		start = r.start
	}
	if r.wrapped || start+n > r.limit || start+n <= most {
		return r.limit
	}
	if s.log.CommitWithin(uintptr(8*(start+n)), uintptr(8*s.main.limit)) != nil {
		return min(r.limit, most)
	}
	return r.limit
}

// take reserves n words in a queue and returns the index of the first one. It evicts blocks if
// necessary.
func (s *shard) take(r *ring, n uint64) (uint64, bool) {
	for {
		if at, ok := r.take(n, s.end(r, n)); ok {
			return at, true
		}
		if r.empty() {
			return 0, false
		}
		s.evictFrom(r)
	}
}

func (s *shard) evictFrom(r *ring) {
	if r == &s.main {
		s.evictMain()
	} else {
		s.evictYounger(r)
	}
}

// settled removes the block at the tail of a queue if it is dead or has expired, and reports
// whether it removed the block.
func (s *shard) settled(r *ring, header uint64) bool {
	at := r.tail
	switch {
	case header&deadBit != 0:
	case s.late(at):
		s.tell(at, CauseExpiration)
		s.unlink(r, at, s.hash(at))
		s.expirations++
	default:
		return false
	}
	r.drop(wordsOf(header))
	return true
}

// evictYounger removes the block at the tail of a younger queue, and moves its entry to the main
// queue or evicts it.
func (s *shard) evictYounger(r *ring) {
	at := r.tail
	header := s.words[at].Load()
	if s.settled(r, header) {
		return
	}
	n, h := wordsOf(header), s.hash(at)
	for i := 0; i < 2 && !s.main.empty() && s.settled(&s.main, s.words[s.main.tail].Load()); i++ {
	}
	if frequencyOf(header) >= s.adapt.leaves() || s.main.has(n) {
		if to, ok := s.take(&s.main, n); ok {
			s.move(at, to, h, 0)
			r.drop(n)
			r.live--
			s.main.live++
			return
		}
	}
	s.remember(h, unused)
	s.evict(r, at, h)
}

// remember adds the hash of an evicted entry to the ghost.
func (s *shard) remember(h uint64, k kind) {
	s.ghost.add(h, k)
	s.adapt.count(k, s.ghost.added, s.table.count)
}

// evictMain evicts the block at the tail of the main queue, or moves it to the head if it was used.
// The block always fits there, because its own words become free.
func (s *shard) evictMain() {
	at := s.main.tail
	header := s.words[at].Load()
	if s.settled(&s.main, header) {
		return
	}
	n, h, f := wordsOf(header), s.hash(at), frequencyOf(header)
	if f == 0 || s.chances >= mostChances {
		k := unused
		if header&usedBit != 0 || f > 0 {
			k = used
		}
		s.remember(h, k)
		s.evict(&s.main, at, h)
		return
	}
	s.chances++
	s.main.drop(n)
	to, _ := s.main.take(n, s.end(&s.main, n))
	s.move(at, to, h, s.adapt.after(f))
}

// evict removes the entry at the tail of a queue, and counts it as evicted.
func (s *shard) evict(r *ring, at, h uint64) {
	n := wordsOf(s.words[at].Load())
	s.tell(at, CauseOverflow)
	s.unlink(r, at, h)
	r.drop(n)
	s.evictions++
	s.chances = 0
}

// move copies a block to the index to, with the given frequency, and updates the table. If the
// entry was used, the used bit of the copy is set.
func (s *shard) move(at, to, h, frequency uint64) {
	header := s.words[at].Load()
	n := wordsOf(header)
	i, ok := s.table.find(uint32(h), at)
	copy(s.bytes[8*to:8*(to+n)], s.bytes[8*at:8*(at+n)])
	next := header&^frequencyMask | frequency<<frequencyShift
	if header&frequencyMask != 0 {
		next |= usedBit
	}
	s.words[to].Store(next)
	if ok {
		s.table.slots[i] = slotOf(uint32(h), to)
	}
}

// unlink marks the block dead, and removes it from the table.
func (s *shard) unlink(r *ring, at, h uint64) {
	if i, ok := s.table.find(uint32(h), at); ok {
		s.remove(r, i, at)
	}
}

// remove is like unlink, for a block whose slot in the table is known.
func (s *shard) remove(r *ring, slot int, at uint64) {
	s.table.remove(slot)
	s.words[at].Store(s.words[at].Load() | deadBit)
	r.live--
}

// makeRoom makes room for one more entry in the table, by growing the table or evicting entries.
func (s *shard) makeRoom() {
	for s.table.count >= mostOf(len(s.table.slots)) && !s.grow() {
		young := &s.small
		if young.empty() || s.brief.live*9 > young.live {
			young = &s.brief
		}
		if (s.brief.live+s.small.live)*9 >= s.main.live && !young.empty() || s.main.empty() {
			s.evictYounger(young)
		} else {
			s.evictMain()
		}
	}
}

// nextIndex returns the size, in bytes, to which an index of the given size grows.
func (s *shard) nextIndex(bytes uint64) uint64 {
	return min((bytes*3/2+vmem.Piece-1)/vmem.Piece*vmem.Piece, s.mostIndex)
}

// grow enlarges the index by half and shortens the log accordingly. It returns false while blocks
// occupy the end of the log that would be given up. If all blocks fit into the shorter log, this
// end becomes free once in each round of the main queue, when the tail has wrapped to the start. If
// the blocks do not fit, the log is not shortened, because the cache would then hold fewer entries
// despite the larger table. grow also returns false if the system has no memory.
func (s *shard) grow() bool {
	next := s.nextIndex(s.indexBytes)
	if next == s.indexBytes {
		return false
	}
	limit := (s.bound - next) / 8
	if s.main.top() > limit {
		return false
	}
	if s.log.Decommit(uintptr(8*limit)) != nil || s.index.CommitWithin(uintptr(next), uintptr(next)) != nil {
		return false
	}
	s.indexBytes, s.main.limit = next, limit
	n := slotsOf(next)
	s.table.grow(s.slots[:n])
	s.ghost = newGhost(halves(s.slots[n : n+n/2]))
	s.adapt.begin(s.adapt.mode, s.ghost.added)
	return true
}

// insert adds a new entry to the queue that the policy selects, or to the main queue if main is
// true. The key must not be in the shard.
func (s *shard) insert(h, frequency uint64, p *piece, main bool) error {
	n := s.form.words(p)
	if n > s.largest() || !p.short() {
		return fmt.Errorf("%w: it takes %d bytes, but a shard has room for %d; use more bytes or fewer Shards", ErrTooLarge, 8*n, 8*s.largest())
	}
	r, known := s.queue(h, n)
	if main {
		r = &s.main
	}
	bits := frequency << frequencyShift
	if known {
		bits |= usedBit
	}
	if !s.place(r, h, n, bits, p) {
		return fmt.Errorf("%w: the system has no memory for %d bytes", ErrFull, 8*n)
	}
	return nil
}

// place adds a new entry of n words at the head of a queue. bits are the header bits that record
// how the entry was used. place returns false if there is no memory.
func (s *shard) place(r *ring, h, n, bits uint64, p *piece) bool {
	s.makeRoom()
	at, ok := s.take(r, n)
	if !ok {
		return false
	}
	s.write(at, n, frequencyOf(bits), p)
	s.words[at].Store(s.words[at].Load() | bits&usedBit)
	if !s.table.insert(uint32(h), at) {
		s.tell(at, CauseOverflow)
		s.words[at].Store(s.words[at].Load() | deadBit)
		s.evictions++
		return true
	}
	r.live++
	return true
}

// adopt adds an entry from a file or from another shard to a queue, or to the main queue if the
// entry is too large for the given queue. bits are the header bits that record how the entry was
// used. adopt returns false if there is no room. The key must not be in the shard.
func (s *shard) adopt(r *ring, h, bits uint64, p *piece) bool {
	n := s.form.words(p)
	if n > s.largest() || !p.short() {
		return false
	}
	if n > r.size() {
		r = &s.main
	}
	return s.place(r, h, n, bits, p)
}

// queue returns the queue for a new entry of n words, and whether the hash of the entry was in the
// ghost.
func (s *shard) queue(h, n uint64) (*ring, bool) {
	k, ago, known := s.ghost.forget(h, s.table.count)
	if known {
		s.adapt.returns(k, ago, s.ghost.added)
	}
	switch place := s.adapt.place(known); {
	case place == 0 && n <= s.brief.size():
		return &s.brief, known
	case place <= 1 && n <= s.small.size():
		return &s.small, known
	}
	return &s.main, known
}

// largest returns the maximum size of a block in words.
func (s *shard) largest() uint64 { return s.main.size() }

// tell records a block that is about to be removed, so that its removal can be reported to the
// function passed to OnDeletion.
func (s *shard) tell(at uint64, why DeletionCause) {
	if s.watch != nil {
		s.watch.note(s, at, why)
	}
}

// tellAll is like tell, for all live blocks.
func (s *shard) tellAll(why DeletionCause) {
	if s.watch == nil {
		return
	}
	for _, r := range []*ring{&s.brief, &s.small, &s.main} {
		r.each(func(at uint64) uint64 {
			header := s.words[at].Load()
			switch {
			case header&deadBit != 0:
			case s.late(at):
				s.tell(at, CauseExpiration)
			default:
				s.tell(at, why)
			}
			return wordsOf(header)
		})
	}
}

// unlock releases the exclusive lock of a shard, and then reports the entries that were removed
// while it was held.
func (s *shard) unlock() {
	if s.watch == nil {
		s.mu.Unlock()
		return
	}
	if announce := s.release(); announce != nil {
		announce()
	}
}

// release is like unlock, but returns the function that reports the removals, or nil if there are
// none.
func (s *shard) release() (announce func()) {
	if s.watch != nil {
		announce = s.watch.take()
	}
	s.mu.Unlock()
	return announce
}
