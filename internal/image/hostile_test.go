package image

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestEveryFlip flips the bits of a file one at a time. Open must detect a flipped bit in the
// header, and VerifySections a flipped bit anywhere else.
func TestEveryFlip(t *testing.T) {
	path := save(t, pattern(100, 1), pattern(50, 2))
	data, err := os.ReadFile(path)
	check(t, err)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, err)
	defer file.Close()
	head := mustOpen(t, path)
	check(t, head.Close())
	put := func(at int, b byte) {
		_, err := file.WriteAt([]byte{b}, int64(at))
		check(t, err)
	}
	for at := range data {
		inHeader := at < int(head.header)
		rare := at > int(head.header) && at < align || at > align+100 && at < 2*align
		for bit := range 8 {
			if rare && at%(97*(1+7*short())) != 0 || bit != at%8 && testing.Short() {
				continue
			}
			put(at, data[at]^1<<bit)
			f, err := open(path)
			if inHeader != (err != nil) || err != nil && !errors.Is(err, ErrInvalid) {
				t.Fatalf("bit %d of byte %d: Open says %v", bit, at, err)
			}
			if f != nil {
				if err := f.VerifySections(); !errors.Is(err, ErrInvalid) {
					t.Fatalf("bit %d of byte %d: VerifySections says %v", bit, at, err)
				}
				check(t, f.Close())
			}
			put(at, data[at])
		}
	}
	check(t, verify(path))
}

func short() int {
	if testing.Short() {
		return 1
	}
	return 0
}

// Open rejects a file that is too short or too long.
func TestEveryLength(t *testing.T) {
	path := save(t, pattern(100, 1), pattern(50, 2))
	info, err := os.Stat(path)
	check(t, err)
	check(t, os.Truncate(path, info.Size()+1))
	if _, err := open(path); !errors.Is(err, ErrInvalid) {
		t.Error("a file that is too long:", err)
	}
	for n := info.Size() - 1; n >= 0; n-- {
		if n > 200 && n < align && n%(7+90*int64(short())) != 0 && !testsize.Full() {
			continue // these lengths end in the zeros after the header
		}
		if n > align+200 && n < 2*align && n%97 != 0 && testing.Short() {
			continue // these lengths end in the zeros between the sections
		}
		check(t, os.Truncate(path, n))
		if _, err := open(path); !errors.Is(err, ErrInvalid) {
			t.Fatalf("a file of %d bytes: %v", n, err)
		}
	}
}

// If a file is truncated while it is open, VerifySections and Load return an error.
func TestCutOffWhileOpen(t *testing.T) {
	path := save(t, pattern(1<<20, 1))
	f := mustOpen(t, path)
	defer f.Close()
	check(t, os.Truncate(path, 1<<19))
	if err := f.VerifySections(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	r := region(t, 1<<20)
	if err := f.Load(0, r); err == nil || r.Committed() != 0 {
		t.Error(err, r.Committed())
	}
}

// seal corrects the checksum of a header that was changed.
func seal(b []byte) {
	if len(b) < fixedBytes {
		return
	}
	size := min(uint64(le.Uint32(b[12:])), uint64(len(b)))
	le.PutUint32(b[sumAt:], 0)
	le.PutUint32(b[sumAt:], crc32.Checksum(b[:size], table))
}

// TestEveryFlipOfASealedHeader flips each bit of a header and corrects the checksum. If the header
// is still accepted, its sections must be inside the file.
func TestEveryFlipOfASealedHeader(t *testing.T) {
	path := save(t, pattern(100, 1), pattern(50, 2))
	data, err := os.ReadFile(path)
	check(t, err)
	head := mustOpen(t, path)
	check(t, head.Close())
	for at := range int(head.header) {
		for bit := range 8 {
			bad := bytes.Clone(data[:align])
			bad[at] ^= 1 << bit
			seal(bad)
			inside(t, bad, int64(len(data)))
		}
	}
}

func inside(t *testing.T, start []byte, size int64) {
	t.Helper()
	h, sections, err := decode(start, size)
	if err != nil {
		if !errors.Is(err, ErrInvalid) {
			t.Fatal("refused with another error:", err)
		}
		return
	}
	end := int64(0)
	for _, s := range sections {
		if s.at%align != 0 || s.at < end || s.size < 0 || s.size > 0 && s.at+s.size > size {
			t.Fatalf("a section of %d bytes at %d of %d", s.size, s.at, size)
		}
		end = s.at + s.size
	}
	again, err := encode(h, sections)
	if err != nil || !bytes.Equal(again, start[:len(again)]) {
		t.Fatal("a header was accepted that nobody writes", err)
	}
}

// FuzzDecode verifies that a header is either rejected, or that its sections are inside the file
// and Save would write the same header.
func FuzzDecode(f *testing.F) {
	for _, sizes := range [][]int64{{}, {1}, {100, 0, 70000}} {
		sections := make([]section, len(sizes))
		for i, n := range sizes {
			sections[i] = section{size: n, sum: uint32(i)}
		}
		b, err := encode(header, sections)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, int64(le.Uint64(b[32:])), true)
		huge := bytes.Clone(b)
		le.PutUint64(huge[32:], 1<<63-1)
		f.Add(huge, int64(1<<63-1), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, size int64, sealed bool) {
		if sealed {
			b = bytes.Clone(b)
			seal(b)
		}
		if size >= int64(len(b)) {
			inside(t, b, size)
		}
	})
}
