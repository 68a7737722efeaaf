package flatimpl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// magic is the start of every file. As in PNG, it shows whether a file was damaged because it was
// transferred as text.
const magic = "\x89FLAT\r\n\x1a"

const headerBytes = 64

// header is the header of a file, as docs/FLAT.md specifies it.
type header struct {
	format, version       uint32
	hash                  uint64
	textBytes             uint32 // length of the schema text
	root, words, nodes    uint32
	strings, stringsBytes uint32
}

func (h *header) encode() []byte {
	b := append(make([]byte, 0, headerBytes), magic...)
	le := binary.LittleEndian
	b = le.AppendUint32(b, h.format)
	b = le.AppendUint32(b, h.version)
	b = le.AppendUint64(b, h.hash)
	for _, n := range []uint32{h.textBytes, h.root, h.words, h.nodes, h.strings, h.stringsBytes} {
		b = le.AppendUint32(b, n)
	}
	return append(b, make([]byte, headerBytes-len(b))...)
}

// decodeHeader decodes a header. It checks all fields that can be checked without the schema.
func decodeHeader(b []byte) (header, error) {
	if len(b) < headerBytes {
		return header{}, shortHeader(int64(len(b)))
	}
	if string(b[:8]) != magic {
		return header{}, invalid("it does not start with the magic of flat trees")
	}
	at := 8
	next := func() uint32 {
		at += 4
		return binary.LittleEndian.Uint32(b[at-4:])
	}
	h := header{format: next(), version: next()}
	if h.format != flatlayout.Format {
		return h, invalid("format %d; this program reads %d", h.format, flatlayout.Format)
	}
	lo, hi := next(), next()
	h.hash = uint64(lo) | uint64(hi)<<32
	h.textBytes, h.root, h.words, h.nodes, h.strings, h.stringsBytes = next(), next(), next(), next(), next(), next()
	for _, reserved := range b[at:headerBytes] {
		if reserved != 0 {
			return h, invalid("reserved bytes of the header are not 0")
		}
	}
	if h.words == 0 || h.strings == 0 {
		return h, invalid("no word 0 or no string 0")
	}
	if h.textBytes > flatlayout.MaxText {
		return h, invalid("a schema's text of %d bytes, more than %d", h.textBytes, flatlayout.MaxText)
	}
	return h, nil
}

func shortHeader(came int64) error {
	return invalid("%d bytes, less than a header, %d", came, headerBytes)
}

// padded rounds n up to a multiple of 4.
func padded(n int) int { return (n + 3) &^ 3 }

// bodyAt returns the offset of the records in the file.
func (h *header) bodyAt() int64 { return headerBytes + int64(padded(int(h.textBytes))) }

// size returns the size of the file in bytes.
func (h *header) size() int64 {
	return h.bodyAt() + 4*int64(h.words) + 4*int64(h.strings) + int64(h.stringsBytes)
}

// check returns an error if the size of the file differs from the header or exceeds the limits.
func (h *header) check(size int64, limits LoadLimits) error {
	if size > limits.MaxBytes {
		return beyond("%d bytes, more than LoadLimits.MaxBytes, %d", size, limits.MaxBytes)
	}
	if want := h.size(); size != want {
		return invalid("%d bytes, and the header says %d", size, want)
	}
	return nil
}

// schemaText returns the schema text that follows the header. It checks the padding and the layout
// hash.
func (h *header) schemaText(data []byte) (string, error) {
	end := headerBytes + int(h.textBytes)
	for _, b := range data[end:h.bodyAt()] {
		if b != 0 {
			return "", invalid("the bytes after the schema's text are not 0")
		}
	}
	text := string(data[headerBytes:end])
	if flatlayout.Hash(text) != h.hash {
		return "", invalid("the layout hash is not that of the schema's text")
	}
	return text, nil
}

// tablesFor returns the tables for the schema version of a file.
func (s *Schema) tablesFor(h *header, data []byte) (*tables, error) {
	text, err := h.schemaText(data)
	if err != nil {
		return nil, err
	}
	t := s.find(text)
	if t == nil {
		return nil, s.unknown(h)
	}
	return t, t.checkVersion(h)
}

// checkVersion returns an error unless the header and the schema text have the same version.
func (t *tables) checkVersion(h *header) error {
	if int64(t.layout.Schema.Version) != int64(h.version) {
		return invalid("version %d in the header, %d in the schema's text", h.version, t.layout.Schema.Version)
	}
	return nil
}

// unknown returns the error for a file with an unknown schema.
func (s *Schema) unknown(h *header) error {
	newest := s.tables()
	if up := newest.layout.Schema.Version; up > 0 && int64(h.version) > int64(up) {
		return otherSchema("version %d; this program reads up to %d: build it with the newer schema, unless coppice flat dump shows another one", h.version, up)
	}
	return otherSchema("it has another schema (layout hash %016x, want %016x); coppice flat dump shows it", h.hash, newest.hash)
}

// WriteTo implements flat.Tree.WriteTo.
func (t *Tree) WriteTo(w io.Writer) (int64, error) {
	t.checkFreed("flat.Tree.WriteTo")
	t.checkOrder("flat.Tree.WriteTo")
	h := header{format: flatlayout.Format, version: uint32(t.tables.layout.Schema.Version), hash: t.tables.hash,
		textBytes: uint32(len(t.tables.text)), root: t.root, words: uint32(len(t.words)), nodes: uint32(t.nodes),
		strings: uint32(len(t.ends)), stringsBytes: uint32(len(t.text))}
	start := append(h.encode(), t.tables.text...)
	start = append(start, make([]byte, padded(len(start))-len(start))...)
	out := counter{w: w}
	err := errors.Join(out.write(start), out.writeWords(t.words), out.writeWords(t.ends), out.write(t.text))
	return out.n, err
}

// A counter counts the bytes written. After an error it writes nothing.
type counter struct {
	w      io.Writer
	n      int64
	failed bool
}

func (c *counter) write(b []byte) error {
	if c.failed {
		return nil
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	c.failed = err != nil
	return err
}

// writeWords writes words in little-endian order. On a big-endian machine, it converts and writes
// them in pieces.
func (c *counter) writeWords(w []uint32) error {
	if !bigEndian {
		return c.write(bytesOf(w))
	}
	piece := make([]uint32, 4096)
	for len(w) > 0 && !c.failed {
		n := copy(piece, w)
		swap(piece[:n])
		if err := c.write(bytesOf(piece[:n])); err != nil {
			return err
		}
		w = w[n:]
	}
	return nil
}

// Load returns the tree in data, which is the contents of a file. It validates and copies the data,
// which need not be aligned.
func (s *Schema) Load(data []byte, limits LoadLimits) (*Tree, error) {
	limits = limits.withDefaults(s.name + ".Load")
	h, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if err := h.check(int64(len(data)), limits); err != nil {
		return nil, err
	}
	tables, err := s.tablesFor(&h, data)
	if err != nil {
		return nil, err
	}
	body := data[h.bodyAt():]
	private := make([]uint32, int(h.words)+int(h.strings))
	copy(bytesOf(private), body)
	swap(private)
	t := &Tree{words: private[:h.words:h.words], ends: private[h.words:], root: h.root, nodes: int(h.nodes), tables: tables}
	t.text = bytes.Clone(body[4*len(private):])
	if err := t.validate(h.nodes, limits); err != nil {
		return nil, err
	}
	return t.upgraded(s.tables(), limits)
}
