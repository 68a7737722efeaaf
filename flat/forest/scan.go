package forest

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/coppice-go/coppice/flat"
)

// A scanner finds the segments of a file.
type scanner struct {
	file *os.File
	size int64
	most int64  // LoadLimits.MaxBytes, for an index; 0 is no limit
	keep bool   // keep each index in memory of its own
	room []byte // for indexes that are not kept, and for sums
}

// pieceBytes is how much of a file is read at once where nothing is kept.
const pieceBytes = 1 << 20

// errGone means that the file is shorter than it was.
var errGone = errors.New("forest: the file has become shorter")

// read reads n bytes. They are valid until the next call, unless they are kept.
func (s *scanner) read(at, n int64) ([]byte, error) {
	b := s.room
	if s.keep || int64(cap(b)) < n {
		b = make([]byte, n)
	}
	if !s.keep {
		s.room = b
	}
	return readAt(s.file, b[:n], at)
}

func readAt(f *os.File, b []byte, at int64) ([]byte, error) {
	switch _, err := f.ReadAt(b, at); {
	case errors.Is(err, io.EOF):
		return nil, errGone
	default:
		return b, err
	}
}

// A found segment is its header and, if it is kept, its index.
type found struct {
	head
	index []byte
}

// scan finds the segments from place at on, and where the last complete one ends. A segment that is not complete is the end, unless
// there is another after it: then the file is damaged. Only the last segment can be incomplete, because the Writer has the system write each one
// to the disk before it begins the next. So only the last one is read whole.
func (s *scanner) scan(at int64) (all []found, end int64, err error) {
	for {
		f, ok, err := s.segment(at)
		if err != nil {
			return nil, at, err
		}
		if !ok {
			break
		}
		all = append(all, f)
		at += int64(f.size)
	}
	if n := len(all); n > 0 {
		last := &all[n-1]
		ok, err := s.whole(last)
		if err != nil {
			return nil, at, err
		}
		if !ok {
			all, at = all[:n-1], int64(last.at)
		}
	}
	if after, err := s.headAfter(at); err != nil || after > 0 {
		return nil, at, errors.Join(err, damaged(at, after))
	}
	return all, at, nil
}

func damaged(at, after int64) error {
	if after == 0 {
		return nil
	}
	return invalid("the segment at %d is damaged, and another one follows at %d", at, after)
}

// segment reads the header and the index of the segment at that place. ok is false if there is no complete one.
func (s *scanner) segment(at int64) (f found, ok bool, err error) {
	if s.size-at < headBytes {
		return f, false, nil
	}
	b, err := readAt(s.file, make([]byte, headBytes), at)
	if err != nil {
		return f, false, gone(err)
	}
	if f.head, ok = decodeHead(b, at); !ok || f.size > uint64(s.size-at) {
		return f, false, nil
	}
	if f.stringsAt()-headBytes > math.MaxInt {
		return f, false, invalid("the index of the segment at %d does not fit into this machine's memory", at)
	}
	if n := int64(f.stringsAt()) - headBytes; s.most > 0 && n > s.most {
		return f, false, fmt.Errorf("%w: the index of the segment at %d has %d bytes, more than LoadLimits.MaxBytes, %d", flat.ErrLimit, at, n, s.most)
	}
	index, err := s.read(at+headBytes, int64(f.stringsAt())-headBytes)
	if err != nil {
		return f, false, gone(err)
	}
	if sum(index) != f.indexSum {
		return f, false, nil
	}
	if s.keep {
		f.index = index
	}
	return f, true, f.checkIndex(index)
}

// gone turns the error for a file that has become shorter into none: what it lacks is not complete.
func gone(err error) error {
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// checkIndex checks that the trees of a segment follow each other and fill it.
func (h *head) checkIndex(index []byte) error {
	var last entry
	for i := range int(h.trees) {
		e, err := h.entryOf(index, i)
		if err != nil {
			return err
		}
		last = e
	}
	if last.wordsEnd != h.words || last.nameEnd != h.names {
		return invalid("the trees of the segment at %d have %d of its %d words, and %d of the %d bytes of names", h.at, last.wordsEnd, h.words, last.nameEnd, h.names)
	}
	return nil
}

// whole reports whether strings and trees of a segment are what was written.
func (s *scanner) whole(f *found) (bool, error) {
	at := int64(f.at)
	got, err := s.sumAt(at+int64(f.stringsAt()), int64(f.wordsAt()-f.stringsAt()))
	if err != nil || got != f.stringsSum {
		return false, gone(err)
	}
	index := f.index
	if !s.keep {
		b, err := readAt(s.file, make([]byte, f.stringsAt()-headBytes), at+headBytes)
		if err != nil {
			return false, gone(err)
		}
		index = b
	}
	for i := range int(f.trees) {
		e, err := f.entryOf(index, i)
		if err != nil {
			return false, err
		}
		got, err := s.sumAt(at+int64(f.wordsAt()+4*e.wordsAt), 4*int64(e.wordsEnd-e.wordsAt))
		if err != nil || got != e.sum {
			return false, gone(err)
		}
	}
	return true, nil
}

// sumAt returns the checksum of n bytes of the file.
func (s *scanner) sumAt(at, n int64) (sum uint32, err error) {
	b := make([]byte, min(n, pieceBytes))
	for ; n > 0; n -= int64(len(b)) {
		b = b[:min(n, int64(len(b)))]
		if _, err := readAt(s.file, b, at); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, table, b)
		at += int64(len(b))
	}
	return sum, nil
}

// headAfter returns the place of a segment's header after that place, or 0. Only an incomplete end is searched.
func (s *scanner) headAfter(at int64) (int64, error) {
	b := make([]byte, max(0, min(s.size-at, pieceBytes+headBytes)))
	for from := at + 1; from < s.size; from += pieceBytes {
		b = b[:min(s.size-from, int64(len(b)))]
		if _, err := readAt(s.file, b, from); err != nil {
			return 0, gone(err)
		}
		for i := 0; ; i++ {
			next := bytes.Index(b[i:], []byte(segmentMagic))
			if next < 0 {
				break
			}
			i += next
			if _, ok := decodeHead(b[i:], from+int64(i)); ok {
				return from + int64(i), nil
			}
		}
	}
	return 0, nil
}
