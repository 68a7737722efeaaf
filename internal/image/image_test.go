package image

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

func TestSaveAndOpen(t *testing.T) {
	for _, sizes := range [][]int{{}, {0}, {1}, {0, 5, 0}, {align}, {align - 1, align + 1, 0, 1}, {1 << 20, 3 << 20, 100}} {
		sections := make([][]byte, 0, len(sizes))
		for i, n := range sizes {
			sections = append(sections, pattern(n, i))
		}
		expect(t, save(t, sections...), sections...)
	}
}

// A section can be saved and read in several pieces.
func TestParts(t *testing.T) {
	path := fresh(t)
	want := pattern(3<<20, 1)
	check(t, SaveParts(path, header, [][]byte{want[:7], nil, want[7 : 2<<20], want[2<<20:]}, nil, [][]byte{want[:9]}))
	expect(t, path, want, nil, want[:9])
	f := mustOpen(t, path)
	defer f.Close()
	got := make([]byte, 1<<20+5)
	check(t, f.ReadAt(0, got, 100))
	if !slices.Equal(got, want[100:][:len(got)]) {
		t.Error("other bytes were read")
	}
	for _, at := range []int64{-1, 3<<20 - 1<<20, 1 << 40} {
		if err := f.ReadAt(0, got, at); !errors.Is(err, ErrInvalid) {
			t.Error(at, err)
		}
	}
}

// SaveStream saves a section while it is produced. If the producer fails, only the old file
// remains.
func TestSaveStream(t *testing.T) {
	path := fresh(t)
	for _, size := range []int{0, 1, align, 3<<20 + 5} {
		want := pattern(size, 1)
		check(t, SaveStream(path, header, func(put func([]byte) error) error {
			for from := 0; from < size; from += 1 << 20 {
				if err := errors.Join(put(want[from:min(from+1<<20, size)]), put(nil)); err != nil {
					return err
				}
			}
			return nil
		}))
		expect(t, path, want)
	}
	wrong := errors.New("wrong")
	err := SaveStream(path, header, func(put func([]byte) error) error { return errors.Join(put(pattern(100, 2)), wrong) })
	if !errors.Is(err, wrong) || !strings.HasPrefix(err.Error(), "saving "+path) {
		t.Error(err)
	}
	expect(t, path, pattern(3<<20+5, 1))
	onlyFile(t, path)
	if err := SaveStream(path, Header{Kind: strings.Repeat("k", maxKind+1)}, nil); err == nil {
		t.Error("a kind that is too long")
	}
}

// Open rejects an image with another kind, version or shape.
func TestOtherImages(t *testing.T) {
	path := save(t, pattern(10, 0))
	for _, open := range []func() (*File, error){
		func() (*File, error) { return Open(path, "tests", 3, 0x1234) },
		func() (*File, error) { return Open(path, "test", 4, 0x1234) },
		func() (*File, error) { return Open(path, "test", 2, 0x1234) },
		func() (*File, error) { return Open(path, "test", 3, 0x1235) },
	} {
		if _, err := open(); !errors.Is(err, ErrMismatch) || errors.Is(err, ErrInvalid) {
			t.Error(err)
		}
	}
	if _, err := open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := open(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Save rejects a header that exceeds a limit before it creates a file. A header of the maximum size
// is accepted.
func TestLimits(t *testing.T) {
	path := fresh(t)
	for _, h := range []Header{{Kind: strings.Repeat("k", maxKind+1)}, {Meta: make([]byte, MaxMeta+1)}} {
		if err := Save(path, h); err == nil {
			t.Error("saved", len(h.Kind), len(h.Meta))
		}
	}
	if err := Save(path, header, make([][]byte, MaxSections+1)...); err == nil {
		t.Error("saved too many sections")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made", err)
	}
	full := Header{Kind: strings.Repeat("k", maxKind), Meta: pattern(MaxMeta, 1)}
	sections := make([][]byte, MaxSections)
	sections[MaxSections-1] = []byte{1}
	check(t, Save(path, full, sections...))
	f, err := Open(path, full.Kind, 0, 0)
	check(t, err)
	defer f.Close()
	if !slices.Equal(f.Meta(), full.Meta) || len(f.Sections()) != MaxSections {
		t.Error("a header of the greatest size is another")
	}
	check(t, f.VerifySections())
}

// A region that maps a file can be changed and saved to the same file, repeatedly. Other regions
// that map the old file do not change.
func TestSaveToTheFileThatIsOpen(t *testing.T) {
	size := 1 << 20
	want := pattern(size, 0)
	path := save(t, want)
	for round := range 5 {
		f := mustOpen(t, path)
		r, old := region(t, 1<<22), region(t, 1<<22)
		check(t, f.Load(0, r))
		check(t, f.Load(0, old))
		check(t, f.Close())
		check(t, r.Commit(uintptr(size+5000)))
		mine := bytesOf(r, size+5000)
		if !slices.Equal(mine[:size], want) || slices.Max(mine[size:]) != 0 {
			t.Fatal("the region is not the file with zeros behind it")
		}
		mine[round*5000]++
		copy(mine[size:], pattern(5000, round))
		check(t, Save(path, header, mine))
		if !slices.Equal(bytesOf(old, size), want) {
			t.Fatal("the old region sees what was saved")
		}
		want, size = slices.Clone(mine), size+5000
		expect(t, path, want)
		onlyFile(t, path)
	}
}

// Load rejects a region that is too small or that has committed memory. After a failed Load, a
// region can be loaded again.
func TestLoadFails(t *testing.T) {
	f := mustOpen(t, save(t, pattern(200<<10, 0)))
	defer f.Close()
	if err := f.Load(0, region(t, 64<<10)); err == nil {
		t.Error("loaded into a region that is too small")
	}
	r := region(t, 1<<20)
	vmem.FailNextCommits(1)
	if err := f.Load(0, r); !errors.Is(err, vmem.ErrNoMemory) || r.Committed() != 0 {
		t.Error(err, r.Committed())
	}
	check(t, f.Load(0, r))
	if err := f.Load(0, r); err == nil {
		t.Error("loaded over memory")
	}
}

type (
	point   struct{ X, Y int32 }
	pair    struct{ A, B int32 }
	padded  struct{ A, B int8 }
	shifted struct {
		A int8
		B int16
	}
	flags struct {
		N  uint32
		On [2]struct {
			B uint8
			C bool
		}
	}
	name string
)

func TestShapes(t *testing.T) {
	if ShapeOf[uint64, point]() != ShapeOf[uint64, pair]() || ShapeOf[string, bool]() != ShapeOf[name, bool]() {
		t.Error("types that differ in names have different shapes")
	}
	shapes := map[uint64]int{}
	for i, s := range []uint64{
		ShapeOf[uint64, point](), ShapeOf[int64, point](), ShapeOf[point, uint64](), ShapeOf[uint64, float64](), ShapeOf[string, uint64](),
		ShapeOf[uint64, [2]int32](), ShapeOf[uint64, [8]byte](), ShapeOf[uint64, padded](), ShapeOf[uint64, shifted](), ShapeOf[uint64, struct{}](),
		ShapeOf[uint64, [2][3]byte](), ShapeOf[uint64, [3][2]byte](), ShapeOf[uint64, [6]byte](), ShapeOf[uint64, flags](), Shape(reflect.TypeFor[uint64]()),
	} {
		if j, ok := shapes[s]; ok {
			t.Errorf("types %d and %d have one shape", j, i)
		}
		shapes[s] = i
	}
	if got := ShapeOf[uint64, point](); got != 0xb8b46a9f947f5914 {
		t.Errorf("a shape has become %#x; files of before cannot be opened", got)
	}
}

func TestBools(t *testing.T) {
	b := BoolsOf(reflect.TypeFor[flags]())
	if !slices.Equal(b, Bools{5, 7}) || BoolsOf(reflect.TypeFor[[1 << 20]point]()) != nil {
		t.Error("bools are elsewhere:", b)
	}
	for at := range 8 {
		v := make([]byte, 8)
		v[at] = 1
		if !b.Valid(v) {
			t.Error("1 is no bool at", at)
		}
		v[at] = 2
		if b.Valid(v) != (at != 5 && at != 7) {
			t.Error("2 at", at)
		}
	}
}
