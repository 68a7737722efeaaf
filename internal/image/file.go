package image

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A File is an open image. Any number of goroutines may use a File at the same time.
type File struct {
	file     *os.File
	meta     []byte
	header   int64 // bytes of the header
	sections []section
}

// Open opens an image that must have the given kind, version and shape, and checks its header and
// its length. Errors wrap [ErrInvalid], [ErrMismatch] or an error of the system.
func Open(path, kind string, version uint32, shape uint64) (*File, error) {
	if err := usable(); err != nil {
		return nil, err
	}
	file, info, err := fromfile.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.begin(info.Size(), kind, version, shape); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
}

// begin reads the header of a file of the given size.
func (f *File) begin(size int64, kind string, version uint32, shape uint64) error {
	start := make([]byte, min(size, fixedBytes))
	if _, err := f.file.ReadAt(start, 0); err != nil {
		return fmt.Errorf("reading the header: %w", err)
	}
	if len(start) == fixedBytes {
		start = make([]byte, min(size, int64(max(headerBytes(start), fixedBytes)), align))
		if _, err := f.file.ReadAt(start, 0); err != nil {
			return fmt.Errorf("reading the header: %w", err)
		}
	}
	h, sections, err := decode(start, size)
	switch {
	case err != nil:
		return err
	case h.Kind != kind:
		return mismatch("it holds a %q, not a %s", h.Kind, kind)
	case h.Version != version:
		return mismatch("its %s has version %d, and this program supports version %d", kind, h.Version, version)
	case h.Shape != shape:
		return mismatch("its %s has keys or values of other types", kind)
	}
	f.meta, f.sections = h.Meta, sections
	f.header = int64(len(start))
	return nil
}

// Meta returns the container's own data in the header, Header.Meta. The caller may change the
// slice; this does not change the file.
func (f *File) Meta() []byte { return f.meta }

// Sections returns the size of each section in bytes.
func (f *File) Sections() []int64 {
	sizes := make([]int64, len(f.sections))
	for i, s := range f.sections {
		sizes[i] = s.size
	}
	return sizes
}

// Load maps or reads section i as the first bytes of a region, which must not have committed memory
// yet. Where files can be mapped, the cost depends on the number of bytes that are accessed later;
// see [vmem.Region.CommitFile]. The region remains valid after the File is closed, can grow with
// Commit, and is released with Close like any other region. Load fails if the region is too small.
func (f *File) Load(i int, region *vmem.Region) error {
	s := f.sections[i]
	if uint64(s.size) > uint64(region.Size()) {
		return fmt.Errorf("section %d has %d bytes, but there is room for only %d", i, s.size, region.Size())
	}
	if err := region.CommitFile(f.file, s.at, uintptr(s.size)); err != nil {
		return fmt.Errorf("section %d: %w", i, err)
	}
	return nil
}

// Each calls the function use with consecutive pieces of section i. A piece is valid until the
// function returns. The length of each piece except the last is a multiple of 8 bytes. Each stops
// when the function returns an error. The cost therefore depends on the function, and not on the
// size of the section in the header, which can be arbitrarily large, because a file can have holes.
func (f *File) Each(i int, use func(piece []byte) error) error {
	s := f.sections[i]
	room := make([]byte, min(s.size, readBytes))
	var wrong error
	err := f.pieces(s.at, s.at+s.size, room, func(b []byte) bool {
		wrong = use(b)
		return wrong == nil
	})
	return errors.Join(err, wrong)
}

// readBytes is the number of bytes that Each reads at a time.
const readBytes = 64 << 10

// ReadAt fills b with a copy of the bytes at the given offset in section i.
func (f *File) ReadAt(i int, b []byte, at int64) error {
	s := f.sections[i]
	if at < 0 || at > s.size || int64(len(b)) > s.size-at {
		return invalid("section %d has %d bytes: too few to read %d bytes at offset %d", i, s.size, len(b), at)
	}
	return f.pieces(s.at+at, s.at+at+int64(len(b)), b, func([]byte) bool { return true })
}

// VerifySections reads the whole file, and verifies the checksum of each section and the zeros
// between sections.
func (f *File) VerifySections() error {
	room := make([]byte, pieceBytes)
	end := f.header
	for i, s := range f.sections {
		if s.size == 0 {
			continue
		}
		if err := f.zeros(end, s.at, room); err != nil {
			return err
		}
		sum := uint32(0)
		err := f.pieces(s.at, s.at+s.size, room, func(b []byte) bool {
			sum = crc32.Update(sum, table, b)
			return true
		})
		if err != nil {
			return err
		}
		if sum != s.sum {
			return invalid("the sum of section %d is wrong", i)
		}
		end = s.at + s.size
	}
	return nil
}

// zeros returns an error unless all bytes of the file between two offsets are zero.
func (f *File) zeros(from, to int64, room []byte) error {
	all := byte(0)
	err := f.pieces(from, to, room, func(b []byte) bool {
		for _, v := range b {
			all |= v
		}
		return all == 0
	})
	if err == nil && all != 0 {
		return invalid("there is something between its sections, before byte %d", to)
	}
	return err
}

// pieces calls the function use with consecutive pieces of the file between two offsets, until the
// function returns false.
func (f *File) pieces(from, to int64, room []byte, use func([]byte) bool) error {
	for from < to {
		b := room[:min(to-from, int64(len(room)))]
		if n, err := f.file.ReadAt(b, from); n < len(b) {
			if errors.Is(err, io.EOF) {
				return invalid("it was cut off at byte %d", from+int64(n))
			}
			return err
		}
		if !use(b) {
			return nil
		}
		from += int64(len(b))
	}
	return nil
}

// Close closes the file. Regions that were loaded from it remain valid.
func (f *File) Close() error { return f.file.Close() }
