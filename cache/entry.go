package cache

import (
	"math"
	"sync/atomic"
	"time"
)

// A block stores one entry. It consists of these words, in this order:
//
//	header    words of the block (32 bits) | frequency (2) | timed (1) | dead (1) | used (1) | sliding (1) | stamped (1)
//	lengths   of the key and of the value, in bytes, 32 bits each; only where one of them varies
//	deadline  in nanoseconds since the Cache was made; only if timed. Each use extends it if the block is sliding
//	stamp     in nanoseconds since the Cache was made: when GetOrLoad loads a new value; only if stamped
//	key, value, and up to 7 bytes of padding
//
// Readers that share the lock increment the frequency, and extend the deadline. All other words and
// bits are written only by the holder of the exclusive lock.
const (
	frequencyShift = 32
	frequencyMask  = uint64(3) << frequencyShift
	timedShift     = 34
	timedBit       = uint64(1) << timedShift
	deadBit        = uint64(1) << 35
	usedBit        = uint64(1) << 36 // the entry was used in an earlier round, or returned after it had been evicted
	slidingBit     = uint64(1) << 37
	stampedShift   = 38
	stampedBit     = uint64(1) << stampedShift

	mostFrequency = 3
)

func wordsOf(header uint64) uint64     { return header & math.MaxUint32 }
func frequencyOf(header uint64) uint64 { return header & frequencyMask >> frequencyShift }

// A form describes how keys and values are stored in blocks. It also holds the settings that all
// shards of a Cache share.
type form struct {
	keyText, valueText   bool // whether keys and values vary in length; if not, keyBytes and valueBytes are their sizes
	keyBytes, valueBytes int

	hashOf func(key []byte) uint64 // returns the hash of a key in a block
	clock  func() time.Time
	epoch  time.Time

	sliding int64 // Options.ExpireAfterAccess in nanoseconds, or 0
	refresh int64 // Options.RefreshAfterWrite in nanoseconds, or 0
}

func (f *form) varies() bool { return f.keyText || f.valueText }

// sum returns a + b, saturated to the range of an int64.
func sum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// now returns the time in nanoseconds since the epoch.
func (f *form) now() int64 { return int64(f.clock().Sub(f.epoch)) }

// deadline returns the time at which an entry with the given time to live expires, and false if it
// never expires. ttl must be greater than 0.
func (f *form) deadline(ttl time.Duration) (int64, bool) {
	if ttl == NoExpiry {
		return 0, false
	}
	now := f.now()
	if int64(ttl) > math.MaxInt64-max(now, 0) {
		return 0, false
	}
	return now + int64(ttl), true
}

// before returns the number of bytes before the key in a block whose header contains the given
// bits.
func (f *form) before(bits uint64) uint64 {
	n := 1 + bits>>timedShift&1 + bits>>stampedShift&1
	if f.varies() {
		n++
	}
	return 8 * n
}

// measure returns the number of words in a block whose header contains the given bits, and whose
// key and value have the given sizes in bytes.
func (f *form) measure(bits, key, value uint64) uint64 { return (f.before(bits) + key + value + 7) / 8 }

// A blocks gives access to the log of a shard as words and as bytes. It covers the whole log,
// including memory that is not committed. A block is identified by the index of its first word.
type blocks struct {
	form  *form
	words []atomic.Uint64
	bytes []byte
}

// A piece holds the contents of a block without the header.
type piece struct {
	key, value []byte // owned by the caller; neither modified nor retained
	deadline   int64
	timed      bool
	sliding    bool // each use extends the deadline
	stamp      int64
	stamped    bool
}

// bits returns the header bits that describe the contents of the piece.
func (p *piece) bits() (bits uint64) {
	if p.timed {
		bits = timedBit
	}
	if p.sliding {
		bits |= slidingBit
	}
	if p.stamped {
		bits |= stampedBit
	}
	return bits
}

// words returns the number of words that the block of a piece needs.
func (f *form) words(p *piece) uint64 {
	return f.measure(p.bits(), uint64(len(p.key)), uint64(len(p.value)))
}

// live gives a piece the lifetime that the Options specify: the time to live is passed in ttl, and
// uses of the entry extend it if ExpireAfterAccess is set.
func (f *form) live(p *piece, ttl time.Duration) {
	f.liveFor(p, ttl)
	p.sliding = p.timed && f.sliding > 0
}

// liveFor sets a piece's lifetime to ttl. Uses of the entry do not extend it.
func (f *form) liveFor(p *piece, ttl time.Duration) {
	p.deadline, p.timed = f.deadline(ttl)
	if p.stamped = f.refresh > 0; p.stamped {
		p.stamp = sum(f.now(), f.refresh)
	}
}

// short reports whether the key's length and the value's length each fit into 32 bits.
func (p *piece) short() bool { return uint64(max(len(p.key), len(p.value))) <= math.MaxUint32 }

// write writes the contents of a piece to the block at index at, which has the given number of
// words.
func (b *blocks) write(at, words, frequency uint64, p *piece) {
	header := words | frequency<<frequencyShift | p.bits()
	i := at + 1
	if b.form.varies() {
		b.words[i].Store(uint64(len(p.key)) | uint64(len(p.value))<<32)
		i++
	}
	if p.timed {
		b.words[i].Store(uint64(p.deadline))
		i++
	}
	if p.stamped {
		b.words[i].Store(uint64(p.stamp))
		i++
	}
	rest := b.bytes[8*i : 8*(at+words)]
	copy(rest[copy(rest, p.key):], p.value)
	b.words[at].Store(header)
}

// pieceAt returns the contents of a block, without copying them.
func (b *blocks) pieceAt(at uint64) piece {
	p := piece{key: b.key(at), value: b.value(at)}
	header := b.words[at].Load()
	if header&timedBit != 0 {
		p.deadline, p.timed, p.sliding = b.deadline(at), true, header&slidingBit != 0
	}
	if header&stampedBit != 0 {
		p.stamp, p.stamped = b.stamp(at), true
	}
	return p
}

// lengths returns the lengths of a block's key and value.
func (b *blocks) lengths(at uint64) (key, value uint64) {
	if !b.form.varies() {
		return uint64(b.form.keyBytes), uint64(b.form.valueBytes)
	}
	both := b.words[at+1].Load()
	return both & math.MaxUint32, both >> 32
}

// key returns the key of a block, without copying it.
func (b *blocks) key(at uint64) []byte {
	n, _ := b.lengths(at)
	from := 8*at + b.form.before(b.words[at].Load())
	return b.bytes[from : from+n : from+n]
}

// value returns the value of a block, without copying it.
func (b *blocks) value(at uint64) []byte {
	n, m := b.lengths(at)
	from := 8*at + b.form.before(b.words[at].Load()) + n
	return b.bytes[from : from+m : from+m]
}

// late reports whether the deadline of a block has passed.
func (b *blocks) late(at uint64) bool {
	return b.words[at].Load()&timedBit != 0 && b.form.now() >= b.deadline(at)
}

func (b *blocks) deadline(at uint64) int64 { return int64(b.words[b.deadlineAt(at)].Load()) }

// deadlineAt returns the index of a timed block's deadline.
func (b *blocks) deadlineAt(at uint64) uint64 {
	if b.form.varies() {
		return at + 2
	}
	return at + 1
}

// stamp returns the stamp of a stamped block. The stamp is stored immediately before the key.
func (b *blocks) stamp(at uint64) int64 {
	return int64(b.words[at+b.form.before(b.words[at].Load())/8-1].Load())
}

// isStamped reports whether a block has the given stamp. Once the time of the stamp has passed, an
// equal stamp means that the value has not changed, because each later change assigns a different
// stamp.
func (b *blocks) isStamped(at uint64, stamp int64) bool {
	return b.words[at].Load()&stampedBit != 0 && b.stamp(at) == stamp
}

// stale reports whether the time of a block's stamp has passed, so that the value must be loaded
// again. It also returns the stamp.
func (b *blocks) stale(at uint64) (stamp int64, ok bool) {
	if b.words[at].Load()&stampedBit == 0 {
		return 0, false
	}
	stamp = b.stamp(at)
	return stamp, b.form.now() >= stamp
}

// touch records a use of an entry, and returns false if the entry has expired. The caller must hold
// the lock of the shard, for reading or exclusively.
func (b *blocks) touch(at uint64) bool {
	header := b.words[at].Load()
	if header&timedBit != 0 && !b.slide(at, header) {
		return false
	}
	if header&frequencyMask != frequencyMask {
		b.words[at].CompareAndSwap(header, header+1<<frequencyShift) // on failure, a concurrent touch has incremented it
	}
	return true
}

// slide implements touch for a block with a deadline. It returns false if the block has expired;
// otherwise it extends the deadline if the block is sliding.
func (b *blocks) slide(at, header uint64) bool {
	now := b.form.now()
	if now >= b.deadline(at) {
		return false
	}
	if header&slidingBit != 0 {
		b.words[b.deadlineAt(at)].Store(uint64(min(now, math.MaxInt64-b.form.sliding) + b.form.sliding))
	}
	return true
}
