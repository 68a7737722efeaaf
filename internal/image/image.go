// Package image stores the memory of a container in a file. To open the container, the file is
// mapped into memory instead of being parsed.
//
// # An image
//
// An image consists of a header and sections. A section contains the memory of one region of
// package vmem, from the start of the region. It begins at a multiple of 64 KiB, so that every
// system can map it. All numbers in the header and in the sections are little-endian, because only
// little-endian machines write and open images; other machines return an error that wraps
// [errors.ErrUnsupported].
//
//	byte 0   "\x89IMAGE\r\n"
//	8        format of the header, 1
//	12       bytes of the header, at most 64 KiB
//	16       CRC-32C of the header, with zeros here
//	20       version of the container's own format
//	24       shape: a fingerprint of its types
//	32       bytes of the file
//	40       bytes of the kind
//	44       bytes of the container's own numbers, meta
//	48       count of sections
//	52       zero
//	56       for each section its bytes (8), its CRC-32C (4) and zero (4)
//	         kind, meta
//
// The header and each section except the last are padded with zeros to a multiple of 64 KiB. An
// empty section has no bytes and no padding.
//
// # What is checked
//
// Save uses package durable to replace a file. If the process is killed at any moment, even by kill
// -9, or if the disk is full, the path refers to either the complete old file or the complete new
// one. Open checks every bit of the header, and the length of the file. It does not read the
// sections, so the time that it takes does not depend on their size. [File.VerifySections] reads
// them, at a few gigabytes per second. A CRC detects accidental damage, but not deliberate changes.
// Even if the checksum is correct, a container must therefore check the data in a section: numbers
// before it uses them as indexes, and each bool, with [Bools], before Go code reads it.
//
// An opened file must not be written in place or truncated while a region maps it. Save never does
// this; it renames a new file to the path. Access to a truncated part of a mapped file is a fault
// that ends the process. On Windows, on 32-bit machines, on wasm and with -race, files are read
// instead of mapped, and the restriction ends after Load.
//
// A container uses the package as follows:
//
//	h := image.Header{Kind: "hashmap", Version: 1, Shape: image.ShapeOf[K, V](), Meta: numbers}
//	err := image.Save(path, h, pages, texts) // the bytes of two regions
//
//	f, err := image.Open(path, "hashmap", 1, image.ShapeOf[K, V]())
//	defer f.Close()                          // regions stay valid
//	sizes := f.Sections()                    // reserve at least this much, then
//	err = f.Load(0, pagesRegion)
//	err = f.Load(1, textsRegion)
package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrInvalid is wrapped by errors that report that a file is not an image or is damaged.
// ErrMismatch is wrapped by errors that report that the file is an image of a different container
// or version, or with different types.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// A Header describes the contents of an image.
type Header struct {
	Kind    string // name of the container, at most 64 bytes: "hashmap"
	Version uint32 // of the container's format; must be equal in Open
	Shape   uint64 // from ShapeOf; must be equal in Open
	Meta    []byte // the container's own numbers, at most MaxMeta bytes
}

// These are the limits of a header. They ensure that a header fits before the first section.
const (
	MaxMeta     = 32 << 10
	MaxSections = 1024
	maxKind     = 64
)

// align is the alignment of sections in bytes. All systems have pages of this size or smaller.
const align = 64 << 10

const (
	magic      = "\x89IMAGE\r\n"
	format     = 1
	fixedBytes = 56
	entryBytes = 16
	sumAt      = 16
)

var (
	le    = binary.LittleEndian
	table = crc32.MakeTable(crc32.Castagnoli)
)

func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

func mismatch(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrMismatch, fmt.Sprintf(format, a...))
}

// usable returns an error on big-endian machines, which can neither write nor read images.
func usable() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return fmt.Errorf("images have the byte order of little-endian machines, which this is not: %w", errors.ErrUnsupported)
	}
	return nil
}

// A section describes one section of an image: its location and its checksum.
type section struct {
	at   int64 // offset in the file, a multiple of align
	size int64
	sum  uint32 // CRC-32C
}

// place sets the offset of each section according to the sizes of the sections, and returns the
// size of the file. It returns false if the file would be too large.
func place(header int64, sections []section) (int64, bool) {
	end := header
	for i := range sections {
		s := &sections[i]
		s.at = roundUp(end)
		if s.size < 0 || s.size > math.MaxInt64-2*align-s.at {
			return 0, false
		}
		if s.size > 0 {
			end = s.at + s.size
		}
	}
	return end, true
}

func roundUp(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// encode sets the offsets of the sections, and returns the encoded header of the image. The encoded
// header is valid only if the checksums of the sections were set before the call.
func encode(h Header, sections []section) ([]byte, error) {
	if len(h.Kind) > maxKind || len(h.Meta) > MaxMeta || len(sections) > MaxSections {
		return nil, fmt.Errorf("a header with %d bytes of kind, %d of meta and %d sections; %d, %d and %d are possible",
			len(h.Kind), len(h.Meta), len(sections), maxKind, MaxMeta, MaxSections)
	}
	size := fixedBytes + entryBytes*len(sections) + len(h.Kind) + len(h.Meta)
	total, ok := place(int64(size), sections)
	if !ok {
		return nil, errors.New("the sections exceed what a file can have")
	}
	b := make([]byte, fixedBytes, size)
	copy(b, magic)
	le.PutUint32(b[8:], format)
	le.PutUint32(b[12:], uint32(size))
	le.PutUint32(b[20:], h.Version)
	le.PutUint64(b[24:], h.Shape)
	le.PutUint64(b[32:], uint64(total))
	le.PutUint32(b[40:], uint32(len(h.Kind)))
	le.PutUint32(b[44:], uint32(len(h.Meta)))
	le.PutUint32(b[48:], uint32(len(sections)))
	for _, s := range sections {
		b = le.AppendUint64(b, uint64(s.size))
		b = le.AppendUint64(b, uint64(s.sum))
	}
	b = append(append(b, h.Kind...), h.Meta...)
	le.PutUint32(b[sumAt:], crc32.Checksum(b, table))
	return b, nil
}

// headerBytes returns the size of a header, which is stored in the header.
func headerBytes(start []byte) uint32 { return le.Uint32(start[12:]) }

// decode decodes the header of a file of the given size. start contains the first bytes of the
// file; it must contain the complete header if the file does.
func decode(start []byte, fileBytes int64) (h Header, sections []section, err error) {
	if len(start) < fixedBytes || string(start[:len(magic)]) != magic {
		return h, nil, invalid("it does not begin like an image")
	}
	if v := le.Uint32(start[8:]); v != format {
		return h, nil, invalid("its header has format %d, and %d is known", v, format)
	}
	size := headerBytes(start)
	if size < fixedBytes || uint64(size) > uint64(len(start)) {
		return h, nil, invalid("its header has %d bytes", size)
	}
	b := append([]byte(nil), start[:size]...)
	want := le.Uint32(b[sumAt:])
	le.PutUint32(b[sumAt:], 0)
	if crc32.Checksum(b, table) != want {
		return h, nil, invalid("the sum of its header is wrong")
	}
	kind, meta, count := le.Uint32(b[40:]), le.Uint32(b[44:]), le.Uint32(b[48:])
	if kind > maxKind || meta > MaxMeta || count > MaxSections || size != fixedBytes+entryBytes*count+kind+meta || le.Uint32(b[52:]) != 0 {
		return h, nil, invalid("its header has %d bytes, with %d of kind, %d of meta and %d sections", size, kind, meta, count)
	}
	sections = make([]section, count)
	for i := range sections {
		e := b[fixedBytes+entryBytes*i:]
		sum := le.Uint64(e[8:])
		if sum > math.MaxUint32 {
			return h, nil, invalid("section %d has a sum of %#x", i, sum)
		}
		sections[i] = section{size: int64(le.Uint64(e)), sum: uint32(sum)}
	}
	total, ok := place(int64(size), sections)
	if !ok || uint64(total) != le.Uint64(b[32:]) {
		return h, nil, invalid("its sections do not make up its %d bytes", le.Uint64(b[32:]))
	}
	if total != fileBytes {
		return h, nil, invalid("the file has %d bytes, and should have %d", fileBytes, total)
	}
	texts := b[fixedBytes+entryBytes*count:]
	h = Header{Kind: string(texts[:kind]), Version: le.Uint32(b[20:]), Shape: le.Uint64(b[24:]), Meta: texts[kind:]}
	return h, sections, nil
}
