package flat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// How far Read believes a header: it makes room for firstBytes, and afterwards for trust times what has come. So a header
// that claims too much costs its sender a part of that, and what is read is copied for a part of it.
const (
	firstBytes = 1 << 20
	trust      = 128
)

// Read is Load from a stream. It reads the tree and no byte more, so that trees may stand behind one another; the
// error at the stream's end is io.EOF too. For generated packages.
func (s *Schema) Read(r io.Reader, limits LoadLimits) (*Tree, error) {
	limits = limits.withDefaults("flat.Schema.Read")
	t, err := read(r, limits, s.tablesFor)
	if err != nil {
		return nil, err
	}
	return t.upgraded(s.tables(), limits)
}

// readAlone is Read of a stream that has nothing but the tree.
func (s *Schema) readAlone(r io.Reader, limits LoadLimits) (*Tree, error) {
	t, err := s.Read(r, limits)
	if err != nil {
		return nil, err
	}
	return t, ended(r)
}

// ReadAny is Read of a tree of any schema, which the tree carries, to print it. The stream must end with it.
func ReadAny(r io.Reader, limits LoadLimits) (*Tree, error) {
	t, err := read(r, limits.withDefaults("flat.ReadAny"), anyTables)
	if err != nil {
		return nil, err
	}
	return t, ended(r)
}

// LoadAny is ReadAny of a file in memory.
func LoadAny(data []byte, limits LoadLimits) (*Tree, error) {
	h, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if err := h.check(int64(len(data)), limits.withDefaults("flat.LoadAny")); err != nil {
		return nil, err
	}
	return ReadAny(bytes.NewReader(data), limits)
}

// anyTables makes tables of the schema that a file carries.
func anyTables(h *header, data []byte) (*tables, error) {
	text, err := h.schemaText(data)
	if err != nil {
		return nil, err
	}
	t, err := newTables(NewSchema(Generation2("flat"), text), text)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return t, t.checkVersion(h)
}

// ended returns nil if the stream has no more bytes.
func ended(r io.Reader) error {
	switch _, err := io.ReadFull(r, make([]byte, 1)); {
	case err == nil:
		return invalid("bytes follow the tree")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return fmt.Errorf("flat: reading: %w", err)
	}
}

// read reads a tree: the header, what it says of the schema, and only then the rest.
func read(r io.Reader, limits LoadLimits, tablesFor func(*header, []byte) (*tables, error)) (*Tree, error) {
	from := stream{from: r}
	start, err := readPart(&from, headerBytes, asBytes)
	if err != nil {
		return nil, from.failed(nil, err)
	}
	h, err := decodeHeader(start)
	if err != nil {
		return nil, err
	}
	if err := h.check(h.size(), limits); err != nil {
		return nil, err
	}
	if uint64(h.size()) > math.MaxInt {
		return nil, beyond("%d bytes, more than this machine has addresses", h.size())
	}
	text, err := readPart(&from, int(h.bodyAt())-headerBytes, asBytes)
	if err != nil {
		return nil, from.failed(&h, err)
	}
	tables, err := tablesFor(&h, append(start, text...))
	if err != nil {
		return nil, err
	}
	words, err := readPart(&from, int(h.words)+int(h.strings), bytesOf)
	if err != nil {
		return nil, from.failed(&h, err)
	}
	swap(words)
	t := &Tree{words: words[:h.words:h.words], ends: words[h.words:], root: h.root, nodes: int(h.nodes), tables: tables}
	if t.text, err = readPart(&from, int(h.stringsBytes), asBytes); err != nil {
		return nil, from.failed(&h, err)
	}
	return t, t.validate(h.nodes, limits)
}

// A stream counts what came.
type stream struct {
	from io.Reader
	came int64
}

// failed is the error of a stream that ended too early, or failed. The header is nil if it has not come.
func (s *stream) failed(h *header, err error) error {
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("flat: reading: %w", err)
	case h != nil:
		return invalid("%d bytes, and the header says %d", s.came, h.size())
	case s.came == 0:
		return fmt.Errorf("%w: no byte, at the end of the stream: %w", ErrInvalid, io.EOF)
	default:
		return shortHeader(s.came)
	}
}

func asBytes(b []byte) []byte { return b }

// readPart reads n elements, and makes room for them step by step.
func readPart[E byte | uint32](s *stream, n int, bytes func([]E) []byte) ([]E, error) {
	first := firstBytes / len(bytes(make([]E, 1)))
	have := make([]E, 0, step(n, 0, first))
	for {
		part := bytes(have[len(have):cap(have)])
		came, err := io.ReadFull(s.from, part)
		s.came += int64(came)
		have = have[:cap(have)]
		if err != nil || len(have) == n {
			return have, err
		}
		have = append(make([]E, 0, step(n, len(have), first)), have...)
	}
}

// step returns for how many of n elements to make room when some have come, at most that many. Steps are such that the
// last one ends at n and has few to copy.
func step(n, have, first int) int {
	for n > first && n/trust > have {
		n = n/trust + 1
	}
	return n
}
