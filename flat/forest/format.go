package forest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/flatlayout"
)

// Magic is the start of every forest file.
const Magic = "\x89TREES\r\n"

// These are the sizes of the parts of a file and the magic number of segments, as docs/CORPORA.md
// specifies them.
const (
	segmentMagic = "\x89GROVE\r\n"
	headBytes    = 64 // size of the header of the file and of a segment
	entryBytes   = 24
	version      = 1
)

var (
	le    = binary.LittleEndian
	table = crc32.MakeTable(crc32.Castagnoli)
)

func sum(b []byte) uint32 { return crc32.Checksum(b, table) }

// padded rounds n up to a multiple of 8.
func padded(n uint64) uint64 { return (n + 7) &^ 7 }

// invalid returns an error that wraps flat.ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", flat.ErrInvalid, fmt.Sprintf(format, args...))
}

// opening converts an error of package fromfile about opening a file to an error of package flat.
func opening(err error) error {
	if errors.Is(err, ErrInvalid) {
		return invalid("%v", err)
	}
	return err
}

// fileHeader returns the first bytes of a file with the given schema.
func fileHeader(s *flatimpl.Schema) []byte {
	text, schemaVersion := s.Text()
	b := make([]byte, headBytes+padded(uint64(len(text))))
	copy(b, Magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], schemaVersion)
	le.PutUint64(b[16:], s.Hash())
	le.PutUint32(b[24:], uint32(len(text)))
	copy(b[headBytes:], text)
	le.PutUint32(b[28:], sum(b))
	return b
}

// reservedAt is the offset of the unused bytes of the file's header, which must be 0.
const reservedAt = 32

func isNotZero(b byte) bool { return b != 0 }

// A fileStart is the decoded start of a file.
type fileStart struct {
	text    string // text of the schema
	version uint32
	hash    uint64
	end     int64 // offset of the first segment
}

// readStart reads the start of a file of size bytes.
func readStart(read func(at, n int64) ([]byte, error), size int64) (s fileStart, err error) {
	if size < headBytes {
		return s, invalid("%d bytes, less than the header of a forest, %d", size, headBytes)
	}
	b, err := read(0, headBytes)
	if err != nil {
		return s, err
	}
	if string(b[:8]) != Magic {
		return s, invalid("it does not start with the magic of forests")
	}
	if v := le.Uint32(b[8:]); v != version {
		return s, invalid("a forest of format %d; this program reads %d", v, version)
	}
	n := le.Uint32(b[24:])
	if n > flatlayout.MaxText {
		return s, invalid("a schema's text of %d bytes, more than %d", n, flatlayout.MaxText)
	}
	if s.end = int64(headBytes + padded(uint64(n))); size < s.end {
		return s, invalid("%d bytes, and the header with the schema has %d", size, s.end)
	}
	if b, err = read(0, s.end); err != nil {
		return s, err
	}
	b = append([]byte(nil), b...)
	want := le.Uint32(b[28:])
	le.PutUint32(b[28:], 0)
	if sum(b) != want {
		return s, invalid("the header is damaged")
	}
	if slices.ContainsFunc(b[reservedAt:headBytes], isNotZero) || slices.ContainsFunc(b[headBytes+n:], isNotZero) {
		return s, invalid("bytes of the header that must be 0 are not: a newer program may have written it")
	}
	s.text, s.version, s.hash = string(b[headBytes:headBytes+n]), le.Uint32(b[12:]), le.Uint64(b[16:])
	return s, nil
}

// A head is the header of a segment. It is followed by the parts of the segment: entries and names,
// strings, and words.
type head struct {
	at, size                    uint64 // offset and size of the segment
	trees, names, strings, text uint32
	words                       uint64
	stringsSum, indexSum        uint32
}

// namesAt and the methods below it return the offsets of the parts of a segment, from the start of
// the segment.
func (h *head) namesAt() uint64   { return headBytes + entryBytes*uint64(h.trees) }
func (h *head) stringsAt() uint64 { return padded(h.namesAt() + uint64(h.names)) }
func (h *head) textAt() uint64    { return h.stringsAt() + 4*uint64(h.strings) }
func (h *head) wordsAt() uint64   { return (h.textAt() + uint64(h.text) + 3) &^ 3 }
func (h *head) end() uint64       { return padded(h.wordsAt() + 4*h.words) }

func (h *head) encode(b []byte) {
	copy(b, segmentMagic)
	le.PutUint64(b[8:], h.at)
	le.PutUint64(b[16:], h.size)
	le.PutUint32(b[24:], h.trees)
	le.PutUint32(b[28:], h.names)
	le.PutUint32(b[32:], h.strings)
	le.PutUint32(b[36:], h.text)
	le.PutUint64(b[40:], h.words)
	le.PutUint32(b[48:], h.stringsSum)
	le.PutUint32(b[52:], h.indexSum)
	le.PutUint32(b[60:], sum(b[:60]))
}

// decodeHead decodes the header of the segment at the given offset. ok is false if the header is
// not valid.
func decodeHead(b []byte, at int64) (h head, ok bool) {
	if len(b) < headBytes || string(b[:8]) != segmentMagic || le.Uint32(b[60:]) != sum(b[:60]) {
		return h, false
	}
	h = head{at: le.Uint64(b[8:]), size: le.Uint64(b[16:]), trees: le.Uint32(b[24:]), names: le.Uint32(b[28:]),
		strings: le.Uint32(b[32:]), text: le.Uint32(b[36:]), words: le.Uint64(b[40:]), stringsSum: le.Uint32(b[48:]), indexSum: le.Uint32(b[52:])}
	sane := h.at == uint64(at) && h.trees > 0 && h.strings > 0 && h.words >= uint64(h.trees) && h.size < math.MaxInt64 && h.words < h.size/4
	return h, sane && h.size == h.end()
}

// An entry of a segment's index describes one tree of the segment.
type entry struct {
	wordsEnd         uint64 // end of the words, relative to the segment's first word
	root, nodes, sum uint32
	nameEnd          uint32
	wordsAt          uint64 // the end of the previous entry's words
	nameAt           uint32
}

func (e *entry) encode(b []byte) {
	le.PutUint64(b, e.wordsEnd)
	le.PutUint32(b[8:], e.root)
	le.PutUint32(b[12:], e.nodes)
	le.PutUint32(b[16:], e.sum)
	le.PutUint32(b[20:], e.nameEnd)
}

// entryOf decodes entry i of a segment's index, and checks that its parts are in the segment.
func (h *head) entryOf(index []byte, i int) (entry, error) {
	var before entry
	if i > 0 {
		b := index[entryBytes*(i-1):]
		before = entry{wordsEnd: le.Uint64(b), nameEnd: le.Uint32(b[20:])}
	}
	return h.next(&before, index[entryBytes*i:], i)
}

// next decodes entry i of a segment, given the entry before it, and checks that its parts are
// in the segment.
func (h *head) next(before *entry, b []byte, i int) (e entry, err error) {
	e = entry{wordsEnd: le.Uint64(b), root: le.Uint32(b[8:]), nodes: le.Uint32(b[12:]), sum: le.Uint32(b[16:]), nameEnd: le.Uint32(b[20:])}
	e.wordsAt, e.nameAt = before.wordsEnd, before.nameEnd
	switch {
	case e.wordsAt >= e.wordsEnd || e.wordsEnd > h.words || e.wordsEnd-e.wordsAt > math.MaxUint32:
		return e, invalid("tree %d of the segment at %d has the words from %d to %d of %d", i, h.at, e.wordsAt, e.wordsEnd, h.words)
	case e.nameAt > e.nameEnd || e.nameEnd > h.names:
		return e, invalid("tree %d of the segment at %d has the name from %d to %d of %d", i, h.at, e.nameAt, e.nameEnd, h.names)
	}
	return e, nil
}
