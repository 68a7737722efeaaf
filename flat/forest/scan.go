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
	most int64  // limit for an index, from LoadLimits.MaxBytes; 0 means no limit
	keep bool   // keep each index in memory
	room []byte // buffer for bytes that are not kept
}

// pieceBytes is the number of bytes that are read at a time from parts of a file that are not kept
// in memory.
const pieceBytes = 1 << 20

// errGone means that the file was truncated while it was read.
var errGone = errors.New("forest: the file has become shorter")

// read reads n bytes, which are valid until the next call to read or piece.
func (s *scanner) read(at, n int64) ([]byte, error) { return readAt(s.file, s.piece(n), at) }

// piece returns a buffer of n bytes, valid until the next call.
func (s *scanner) piece(n int64) []byte {
	if int64(cap(s.room)) < n {
		s.room = make([]byte, n)
	}
	return s.room[:n]
}

func readAt(f *os.File, b []byte, at int64) ([]byte, error) {
	switch _, err := f.ReadAt(b, at); {
	case errors.Is(err, io.EOF):
		return nil, errGone
	default:
		return b, err
	}
}

// A found is a segment that the scanner has found: the header and, if the scanner keeps indexes,
// the index.
type found struct {
	head
	index []byte
}

// scan finds the segments from the given offset on, and the end of the last complete segment. An
// incomplete segment ends the scan; if another segment follows it, the file is damaged. Only the
// last segment can be incomplete, because the Writer syncs each segment to the disk before it
// begins the next one. Therefore only the last segment is read completely.
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

// segment reads the header and the index of the segment at the given offset. ok is false if the
// segment is not complete.
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
	got, wrong, err := s.index(&f)
	if err != nil {
		return f, false, gone(err)
	}
	if got != f.indexSum {
		return f, false, nil
	}
	return f, true, wrong
}

// indexPiece is the number of bytes of an index that are read at a time. It is a multiple of the
// size of an entry.
const indexPiece = pieceBytes / entryBytes * entryBytes

// index reads the index of a segment. It returns the checksum of the index and, in wrong, an error
// if the contents are invalid, which matters only if the checksum is correct. A header can claim
// any size, and a hole in the file reads as zeros, so index uses only as much memory as a piece or,
// if the index is kept, as the part that was valid so far.
func (s *scanner) index(f *found) (got uint32, wrong, err error) {
	n := int64(f.stringsAt()) - headBytes
	room := s.piece(min(n, indexPiece))
	last, seen := entry{}, 0
	for at := int64(0); at < n; at += int64(len(room)) {
		room = room[:min(n-at, int64(len(room)))]
		if _, err := readAt(s.file, room, int64(f.at)+headBytes+at); err != nil {
			return 0, nil, err
		}
		got = crc32.Update(got, table, room)
		for b := room; wrong == nil && seen < int(f.trees) && len(b) >= entryBytes; b = b[entryBytes:] {
			last, wrong = f.next(&last, b, seen)
			seen++
		}
		if s.keep && wrong == nil {
			f.index = append(f.index, room...)
		}
	}
	if wrong == nil && (last.wordsEnd != f.words || last.nameEnd != f.names) {
		wrong = invalid("the trees of the segment at %d have %d of its %d words, and %d of the %d bytes of names", f.at, last.wordsEnd, f.words, last.nameEnd, f.names)
	}
	return got, wrong, nil
}

// gone returns nil if err reports that the file was truncated, because the caller then treats the
// segment as incomplete. It returns all other errors unchanged.
func gone(err error) error {
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// whole reports whether the strings and the trees of a segment match their checksums, so that the
// segment is complete.
func (s *scanner) whole(f *found) (bool, error) {
	at := int64(f.at)
	got, err := s.sumAt(at+int64(f.stringsAt()), int64(f.wordsAt()-f.stringsAt()))
	if err != nil || got != f.stringsSum {
		return false, gone(err)
	}
	room := s.piece(entryBytes * min(int64(f.trees), indexPiece/entryBytes))
	last := entry{}
	for seen := 0; seen < int(f.trees); {
		room = room[:min(entryBytes*(int(f.trees)-seen), len(room))]
		if _, err := readAt(s.file, room, at+headBytes+int64(entryBytes*seen)); err != nil {
			return false, gone(err)
		}
		for b := room; len(b) > 0; b = b[entryBytes:] {
			if last, err = f.next(&last, b, seen); err != nil {
				return false, err
			}
			got, err := s.sumAt(at+int64(f.wordsAt()+4*last.wordsAt), 4*int64(last.wordsEnd-last.wordsAt))
			if err != nil || got != last.sum {
				return false, gone(err)
			}
			seen++
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

// headAfter returns the offset of the next segment header after the given offset, or 0 if there is
// none. It is used only for an incomplete end.
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
