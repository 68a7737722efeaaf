package damage

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// A Format describes a file format to Mutate, which creates damaged files of that format.
type Format struct {
	Sound []string           // paths of valid files
	Seal  func(file []byte)  // sets the checksums of a file to the actual ones, as far as possible; nil if the format has none
	Try   func(Mutant) error // opens a damaged file, uses it in every way, and returns an error if that goes wrong
	Text  bool               // files are texts of words, numbers and quoted strings: most changes keep them so
}

// A Mutant is a damaged file that Mutate has created.
type Mutant struct {
	Path   string
	Origin int  // the index of the valid file that it was made from
	Sealed bool // its checksums hide the changes; otherwise the checked parts are unchanged, or the file is rejected
}

// Mutate tests damaged files of a format. By default it creates a few hundred files, and 40 under
// go test -short. With COPPICE_FULL it creates 120,000, so that the nine container tests together
// use a million files. COPPICE_FULL=part reduces this to a quarter. In checked builds, and for text
// formats, these two settings create a tenth as many. Three out of four files are sealed, that is,
// they have correct checksums. A file's name contains its mutation number, with which the file can
// be reproduced. If the process crashes, the file remains.
func Mutate(t *testing.T, f Format) {
	t.Helper()
	var sound [][]byte
	sound = slices.Grow(sound, len(f.Sound))
	for _, path := range f.Sound {
		sound = append(sound, read(t, path))
	}
	folder := t.TempDir()
	for i := range f.mutations() {
		r := rand.New(rand.NewPCG(random.Seed(), uint64(i)))
		m := Mutant{Origin: r.IntN(len(sound)), Sealed: f.Seal != nil && r.IntN(4) > 0}
		b := f.mutate(r, sound, m.Origin)
		if m.Sealed {
			f.Seal(b)
		}
		if bytes.Equal(b, sound[m.Origin]) {
			continue
		}
		m.Path = filepath.Join(folder, fmt.Sprintf("mutant-%d", i))
		write(t, m.Path, b)
		if err := f.Try(m); err != nil {
			t.Fatalf("mutation %d of sound file %d, sealed %t, %s=%d: %v", i, m.Origin, m.Sealed, random.Variable, random.Seed(), err)
		}
		if err := os.Remove(m.Path); err != nil {
			t.Fatal(err)
		}
	}
}

// mutations returns the number of files that Mutate creates.
func (f Format) mutations() int {
	full := 120_000
	if checks.Enabled || f.Text {
		full /= 10
	}
	switch {
	case os.Getenv(testsize.Variable) == "part":
		return full / 4
	case testsize.Full():
		return full
	case testing.Short():
		return 40
	case f.Text: // their readers are slower
		return 200
	}
	return 400
}

// mutate returns a copy of a valid file with one to seven changes. The new data may come from
// another valid file.
func (f Format) mutate(r *rand.Rand, sound [][]byte, origin int) []byte {
	b, other := bytes.Clone(sound[origin]), sound[r.IntN(len(sound))]
	for range 1 + r.IntN(3)*r.IntN(4) {
		if len(b) < 16 {
			break
		}
		if f.Text && r.IntN(16) > 0 {
			b = changeText(r, b, other)
			continue
		}
		b = change(r, b, other)
	}
	return b
}

// change makes one random change to b.
func change(r *rand.Rand, b, other []byte) []byte {
	at := place(r, b)
	switch r.IntN(16) {
	case 0, 1, 2:
		b[at] ^= 1 << r.IntN(8)
	case 3:
		b[at] = byte(r.Uint32())
	case 4, 5, 6, 7:
		at &^= 3
		le.PutUint32(b[at:], uint32(number(r, b, uint64(le.Uint32(b[at:])))))
	case 8, 9, 10:
		at = min(at&^7, len(b)-8)
		le.PutUint64(b[at:], number(r, b, le.Uint64(b[at:])))
	case 11:
		from := place(r, other)
		copy(b[at:], other[from:min(from+1<<r.IntN(13), len(other))])
	case 12:
		part := b[at:min(at+1<<r.IntN(15), len(b))]
		fill := []byte{0, 0, 0xff, 0x11, 0x80}[r.IntN(5)]
		for i := range part {
			part[i] = fill
		}
	case 13:
		size := 1 << (2 + r.IntN(8))
		x, y := min(at&^(size-1), len(b)-size), min(place(r, b)&^(size-1), len(b)-size)
		if x >= 0 && y >= 0 {
			part := bytes.Clone(b[x:][:size])
			copy(b[x:], b[y:][:size])
			copy(b[y:], part)
		}
	case 14:
		b = b[:at]
	case 15:
		if r.IntN(2) == 0 {
			b = append(b, make([]byte, 1<<r.IntN(17))...)
		} else {
			size := min(8<<r.IntN(10), len(b)-at)
			b = append(b[:at], b[at+size:]...)
		}
	}
	return b
}

// place returns a random offset in a file. It is usually near the start, near an aligned offset, or
// at non-zero data.
func place(r *rand.Rand, b []byte) int {
	last := len(b) - 4
	at := r.IntN(last + 1)
	switch r.IntN(4) {
	case 0:
		at = r.IntN(min(last, 256) + 1)
	case 1:
		at = at&^(1<<(6+r.IntN(11))-1) + r.IntN(64)
	default:
		for range 64 {
			if b[at] != 0 {
				break
			}
			at = r.IntN(last + 1)
		}
	}
	return min(at, last)
}

// number returns a replacement for the number old: a similar number, a plausible count or offset,
// or a random number.
func number(r *rand.Rand, b []byte, old uint64) uint64 {
	switch r.IntN(8) {
	case 0:
		return old + 1
	case 1:
		return old - 1
	case 2:
		return 0
	case 3:
		return uint64(r.IntN(64))
	case 4:
		return uint64(r.IntN(len(b) + 1))
	case 5:
		return []uint64{math.MaxUint64, math.MaxInt64, math.MaxUint32, math.MaxInt32, 1 << 31, 1 << 32, 1 << 40, 1 << 20, 1 << 16, 1 << 15, 0x7f, 0x80}[r.IntN(12)]
	case 6:
		return uint64(le.Uint32(b[r.IntN(len(b)-3):]))
	}
	return r.Uint64() >> r.IntN(64)
}
