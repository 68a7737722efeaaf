package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/image"
)

// The image of a cache (internal/image) has one section, with a record for each entry (record.go).
// The records are grouped by queue, and ordered from the oldest to the newest within a queue. If
// there are several records for a key, the last one is valid. The image header contains one 8-byte
// number, which is the time of the Save in nanoseconds since 1970. docs/decisions/0057 explains why
// the file is not an image of the memory.
const (
	imageKind    = "cache"
	imageVersion = 1
	metaBytes    = 8
)

// batchBytes is the approximate number of bytes that Save copies from a shard each time it acquires
// the read lock.
const batchBytes = 256 << 10

// errClosed is returned by Save if the Cache is closed during the Save.
var errClosed = errors.New("the cache is closed")

// shape encodes the types of keys and values, for the header of a file. Byte slices and strings
// have the same encoding.
func (c *Cache[K, V]) shape() uint64 {
	v := reflect.TypeFor[V]()
	if c.bytesV {
		v = reflect.TypeFor[string]()
	}
	return image.Shape(reflect.TypeFor[K](), v)
}

// Save writes the entries to a file from which OpenFile can create a Cache. If the process is
// killed at any moment, even by kill -9, or if the disk is full, path refers to either the complete
// old file or the complete new one. A file that is not writable is not replaced; if path is a
// symbolic link, its target is replaced.
//
// Other goroutines may use the Cache during Save; only SetMaximum waits until Save returns. Save
// copies 256 KiB of a shard at a time under the read lock, so a Set never waits for the disk. An
// entry that is added, changed or deleted during Save may be in the file in its old or its new
// state, or not at all. An entry that is present throughout the Save is in the file, unless more
// entries are set during the Save than its queue can hold. Save writes a copy of all entries to the
// disk, except expired ones. Each deadline is written as wall-clock time. Save stores how each
// entry was used, but not the counts of hits and misses or the rest of the policy's state.
//
// On big-endian machines Save fails with an error that wraps errors.ErrUnsupported.
func (c *Cache[K, V]) Save(path string) error {
	const where = "cache.Cache.Save"
	if len(c.shards) == 0 {
		panic(where + ": this is the zero Cache; make one with New")
	}
	c.moving.Lock()
	defer c.moving.Unlock()
	now := c.form.clock().UnixNano()
	offset := sum(now, -c.form.now())
	h := image.Header{Kind: imageKind, Version: imageVersion, Shape: c.shape(), Meta: binary.LittleEndian.AppendUint64(nil, uint64(now))}
	err := image.SaveStream(path, h, func(put func(piece []byte) error) error { return c.records(offset, put) })
	switch {
	case errors.Is(err, errClosed):
		panic(where + ": the cache is closed")
	case err != nil:
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// records calls put with the records of all entries, a few records in each call. It holds no lock
// while put runs.
func (c *Cache[K, V]) records(offset int64, put func(piece []byte) error) error {
	room := make([]byte, 0, batchBytes+batchBytes/4)
	for i := range c.shards {
		for queue := range 3 { // entries move from the younger queues to the main queue, so this order misses none
			if err := c.shards[i].save(queue, offset, room, put); err != nil {
				return err
			}
		}
	}
	return nil
}

// save passes a record of each entry in one queue to put.
func (s *shard) save(queue int, offset int64, room []byte, put func(piece []byte) error) error {
	r := s.queues()[queue]
	var w walk
	for begun, more := false, true; more; begun = true {
		room = room[:0]
		s.mu.RLock()
		if s.slots == nil {
			s.mu.RUnlock()
			return errClosed
		}
		if !begun {
			w = r.walk()
		}
		for more = false; len(room) < batchBytes; {
			var at uint64
			if at, more = w.next(r); !more {
				break
			}
			header := s.words[at].Load()
			if header&deadBit == 0 && !s.late(at) {
				p := s.pieceAt(at)
				room = appendRecord(room, header, queue, offset, &p)
			}
			w.pass(wordsOf(header))
		}
		s.mu.RUnlock()
		if err := put(room); err != nil {
			return err
		}
	}
	return nil
}

// OpenFile returns a Cache with the entries that Save wrote. It costs as much as New, and as Set
// for each entry. If there is no room for all of them, entries are evicted as usual. The Cache is
// independent of the file, which is not needed afterwards. The Options may differ from those of the
// saved Cache, for example in the number of bytes or shards. A TTL applies to new entries; entries
// from the file keep their deadlines, and their age for RefreshAfterWrite.
//
// The deadlines in the file are wall-clock times. Entries that have expired between Save and
// OpenFile are therefore dropped. If the wall clock was set back, the remaining lifetime of an
// entry is at most its remaining lifetime at the time of the Save.
//
// Keys and values must have the same kinds, sizes and offsets as those saved; strings and bytes are
// interchangeable. The error wraps ErrInvalid if the file is not a saved container or is damaged,
// and ErrMismatch if it contains a different container, version or types. OpenFile reads 64 KiB at
// a time. Even if the file is damaged, it uses at most the memory of the Cache and of one entry.
func OpenFile[K comparable, V any](path string, options Options) (*Cache[K, V], error) {
	const where = "cache.OpenFile"
	c, err := open[K, V](where, options, 1)
	if err != nil {
		return nil, err
	}
	if err := c.read(where, path); err != nil {
		return nil, fmt.Errorf("%s: %w", where, errors.Join(err, c.Close()))
	}
	return c, nil
}

// read stores the entries of a file in an empty Cache.
func (c *Cache[K, V]) read(where, path string) error {
	f, err := image.Open(path, imageKind, imageVersion, c.shape())
	if err != nil {
		return err
	}
	defer f.Close()
	meta, sections := f.Meta(), f.Sections()
	if len(meta) != metaBytes || len(sections) != 1 {
		return fmt.Errorf("%s: %w: %d bytes of numbers and %d sections", path, ErrInvalid, len(meta), len(sections))
	}
	l := loader[K, V]{c: c, where: where, left: uint64(sections[0]), saved: int64(binary.LittleEndian.Uint64(meta))}
	if !c.form.keyText {
		l.boolsK = image.BoolsOf(reflect.TypeFor[K]())
	}
	if !c.form.valueText {
		l.boolsV = image.BoolsOf(reflect.TypeFor[V]())
	}
	err = f.Each(0, l.take)
	if err == nil && len(l.pending) > 0 {
		err = fmt.Errorf("%w: its last record is cut off", ErrInvalid)
	}
	if err == nil {
		err = f.VerifySections()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// A loader stores the records of a file in a Cache. It checks each record before storing it.
type loader[K comparable, V any] struct {
	c              *Cache[K, V]
	where          string // name of the function that the user called
	saved          int64  // time of the Save, in nanoseconds since 1970
	left           uint64 // number of unread bytes of the section
	skip           uint64 // number of bytes still to skip of a record that is too large for a shard
	pending        []byte // bytes of an incomplete record
	boolsK, boolsV image.Bools
}

// take stores the records in the next bytes of the file. A record may continue in the bytes of the
// next call.
func (l *loader[K, V]) take(b []byte) error {
	l.left -= uint64(len(b))
	if len(l.pending) > 0 {
		l.pending = append(l.pending, b...)
		b = l.pending
	}
	for {
		n := min(l.skip, uint64(len(b)))
		l.skip, b = l.skip-n, b[n:]
		if len(b) < recordFixed {
			break
		}
		lengths, marks := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		if err := l.c.form.check(lengths, marks); err != nil {
			return err
		}
		size := bytesOfRecord(lengths, marks)
		switch {
		case size > uint64(len(b))+l.left:
			return fmt.Errorf("%w: a record has %d bytes, and the file %d", ErrInvalid, size, uint64(len(b))+l.left)
		case l.c.form.wordsOfBlock(lengths, marks) > l.c.shards[0].largest():
			l.skip = size
			continue
		case size > uint64(len(b)):
			l.pending = append(l.pending[:0], b...)
			return nil
		}
		if err := l.put(b[:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	l.pending = append(l.pending[:0], b...)
	return nil
}

// put stores the entry of a record, unless it has expired.
func (l *loader[K, V]) put(record []byte) error {
	p, marks, err := split(record)
	if err != nil {
		return err
	}
	if !l.boolsK.Valid(p.key) || !l.boolsV.Valid(p.value) {
		return fmt.Errorf("%w: a bool is neither true nor false", ErrInvalid)
	}
	c := l.c
	var k K
	c.loadKey(&k, p.key)
	if c.hash.Kind == hash.Parts && k != k {
		return nil // k is or contains NaN, see Cache.put
	}
	s, h := c.of(l.where, &k)
	if i, at, ok := c.find(s, h, &k); ok {
		s.remove(s.ringOf(at), i, at)
	}
	if !l.move(&p) {
		return nil
	}
	if !s.adopt(s.queues()[marks&markQueue>>queueShift], h, bitsOf(marks), &p) {
		s.evictions++
	}
	if checks.Enabled {
		s.look(l.where)
	}
	return nil
}

// move converts the deadline and the stamp of a record from wall-clock times to times relative to
// the creation of the Cache. It returns false if the entry has expired.
func (l *loader[K, V]) move(p *piece) bool {
	f := &l.c.form
	p.sliding = p.sliding && f.sliding > 0
	rest := int64(1)
	if p.timed {
		rest = min(difference(p.deadline, f.clock().UnixNano()), difference(p.deadline, l.saved))
		p.deadline = sum(f.now(), rest)
	}
	wait := f.refresh
	if p.stamped {
		wait = min(difference(p.stamp, f.clock().UnixNano()), wait)
	}
	if p.stamped = f.refresh > 0; p.stamped {
		p.stamp = sum(f.now(), wait)
	}
	return rest > 0
}

// difference returns a - b, saturated to the range of an int64.
func difference(a, b int64) int64 {
	if b == math.MinInt64 {
		return sum(sum(a, math.MaxInt64), 1)
	}
	return sum(a, -b)
}
