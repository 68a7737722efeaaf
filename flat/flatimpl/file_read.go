package flatimpl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// These constants limit the memory that Read allocates for data that has not arrived yet. At first,
// Read allocates firstBytes, and then 128 times (trust) the number of bytes read so far. To make
// Read allocate the size that a header claims, a sender must therefore send at least a fraction of
// this size. When the memory grows, only a fraction of the data is copied. docs/decisions/0012
// explains the choice.
const (
	firstBytes = 1 << 20
	trust      = 128
)

// Read is like Load for a stream. It reads exactly one tree, so that a stream can contain several
// trees. At the end of the stream, the error also wraps io.EOF.
func (s *Schema) Read(r io.Reader, limits LoadLimits) (*Tree, error) {
	limits = limits.withDefaults(s.name + ".Read")
	t, err := read(r, limits, s.tablesFor)
	if err != nil {
		return nil, err
	}
	return t.upgraded(s.tables(), limits)
}

// readAlone implements Read for a stream that must end after the tree.
func (s *Schema) readAlone(r io.Reader, limits LoadLimits) (*Tree, error) {
	t, err := s.Read(r, limits)
	if err != nil {
		return nil, err
	}
	return t, ended(r)
}

// ReadAny implements flat.ReadAny.
func ReadAny(r io.Reader, limits LoadLimits) (*Tree, error) {
	t, err := read(r, limits.withDefaults("flat.ReadAny"), anyTables)
	if err != nil {
		return nil, err
	}
	return t, ended(r)
}

// LoadAny implements flat.LoadAny.
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

// anyTables builds the tables for the schema in a file.
func anyTables(h *header, data []byte) (*tables, error) {
	text, err := h.schemaText(data)
	if err != nil {
		return nil, err
	}
	t, err := newTables(NewSchema(Generation5("flat"), text), text)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return t, t.checkVersion(h)
}

// ended returns an error unless the stream has ended.
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

// read reads the header, checks it, looks up the schema, and only then reads the rest.
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

// A stream counts the bytes read.
type stream struct {
	from io.Reader
	came int64
}

// failed returns the error for a stream that failed or ended early. The parameter h is the header,
// or nil if it was not completely read.
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

// readPart reads n elements. It allocates memory step by step.
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

// step returns the number of elements for which to allocate memory next. The parameter n is the
// total number of elements, and have is the number of elements read so far. The steps are chosen so
// that the last step ends at n and copies little.
func step(n, have, first int) int {
	for n > first && n/trust > have {
		n = n/trust + 1
	}
	return n
}
