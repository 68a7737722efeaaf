package damage

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// The functions in this file modify the header of an image (described in package internal/image),
// to create files with correct checksums but invalid contents.

const (
	imageAlign     = 64 << 10
	imageFixed     = 56
	imageEntry     = 16
	imageBytesAt   = 12
	imageSumAt     = 16
	imageTotalAt   = 32
	imageCountAt   = 48
	imageSectionAt = 56
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// sectionsOf returns the start and end offsets of the sections that the header of an image
// describes, as far as they are inside the image.
func sectionsOf(b []byte) (parts [][2]int) {
	if len(b) < imageFixed {
		return nil
	}
	header := uint64(le.Uint32(b[imageBytesAt:]))
	end := header
	for i := range uint64(le.Uint32(b[imageCountAt:])) {
		at := imageSectionAt + imageEntry*i
		if at+imageEntry > min(header, uint64(len(b))) {
			break
		}
		size := le.Uint64(b[at:])
		start := (end + imageAlign - 1) &^ (imageAlign - 1)
		if start > uint64(len(b)) || size > uint64(len(b))-start {
			break
		}
		parts = append(parts, [2]int{int(start), int(start + size)})
		if size > 0 {
			end = start + size
		}
	}
	return parts
}

// SealImage corrects the length and the checksums in the header of an image, as far as the header
// is valid.
func SealImage(b []byte) {
	if len(b) < imageFixed {
		return
	}
	for i, part := range sectionsOf(b) {
		le.PutUint32(b[imageSectionAt+imageEntry*i+8:], crc32.Checksum(b[part[0]:part[1]], castagnoli))
	}
	le.PutUint64(b[imageTotalAt:], uint64(len(b)))
	header := min(uint64(le.Uint32(b[imageBytesAt:])), uint64(len(b)))
	le.PutUint32(b[imageSumAt:], 0)
	le.PutUint32(b[imageSumAt:], crc32.Checksum(b[:max(header, imageFixed)], castagnoli))
}

// Holes writes a copy of an image in which the sizes of some sections are replaced. sizes maps the
// indexes of sections to their new sizes. The checksum of the header is correct. The data of the
// sections is a hole, which uses no disk space. Holes skips the test if the file cannot be created.
func Holes(t *testing.T, image, path string, sizes map[int]uint64) {
	t.Helper()
	b := read(t, image)
	b = b[:le.Uint32(b[imageBytesAt:])]
	end := uint64(len(b))
	for i := range int(le.Uint32(b[imageCountAt:])) {
		entry := b[imageSectionAt+imageEntry*i:]
		if size, ok := sizes[i]; ok {
			le.PutUint64(entry, size)
		}
		if size := le.Uint64(entry); size > 0 {
			end = (end+imageAlign-1)&^(imageAlign-1) + size
		}
	}
	le.PutUint64(b[imageTotalAt:], end)
	le.PutUint32(b[imageSumAt:], 0)
	le.PutUint32(b[imageSumAt:], crc32.Checksum(b, castagnoli))
	write(t, path, b)
	if err := os.Truncate(path, int64(end)); err != nil {
		t.Skip(err)
	}
}

// HolesAreInvalid creates copies of an image with wrong section sizes, and expects an error when
// they are opened, with and without verification. sections maps a description of each fault to the
// sizes for Holes.
func HolesAreInvalid(t *testing.T, path string, container func(verify bool) Container, sections map[string]map[int]uint64) {
	t.Helper()
	hole := filepath.Join(t.TempDir(), "hole")
	for what, sizes := range sections {
		Holes(t, path, hole, sizes)
		for _, verify := range []bool{false, true} {
			c := container(verify)
			if err := c.Open(hole); !errors.Is(err, c.Invalid) {
				t.Errorf("%s, verified %t: %v", what, verify, err)
			}
		}
	}
}
