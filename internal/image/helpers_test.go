package image

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var header = Header{Kind: "test", Version: 3, Shape: 0x1234, Meta: []byte("own numbers")}

// pattern returns n non-zero bytes, which depend on seed.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7+i>>8+seed) | 1
	}
	return b
}

func fresh(t testing.TB) string { return filepath.Join(t.TempDir(), "image") }

// save writes an image with the given sections, and returns its path.
func save(t testing.TB, sections ...[]byte) string {
	t.Helper()
	path := fresh(t)
	check(t, Save(path, header, sections...))
	return path
}

func open(path string) (*File, error) {
	return Open(path, header.Kind, header.Version, header.Shape)
}

// verify opens an image and verifies the checksums of all its sections.
func verify(path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.VerifySections(), f.Close())
}

func mustOpen(t testing.TB, path string) *File {
	t.Helper()
	f, err := open(path)
	check(t, err)
	return f
}

func region(t testing.TB, size int64) *vmem.Region {
	t.Helper()
	r, err := vmem.Reserve(uintptr(size), vmem.HugeAuto, vmem.NewAccount(t.Name(), 0))
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

// expect verifies that the image at path has the given sections.
func expect(t *testing.T, path string, sections ...[]byte) {
	t.Helper()
	f := mustOpen(t, path)
	defer f.Close()
	check(t, f.VerifySections())
	if string(f.Meta()) != string(header.Meta) || len(f.Sections()) != len(sections) {
		t.Fatalf("meta %q and sections of %d bytes", f.Meta(), f.Sections())
	}
	for i, want := range sections {
		if f.Sections()[i] != int64(len(want)) {
			t.Fatalf("section %d has %d bytes, want %d", i, f.Sections()[i], len(want))
		}
		r := region(t, int64(len(want))+1)
		check(t, f.Load(i, r))
		if !bytes.Equal(bytesOf(r, len(want)), want) {
			t.Errorf("section %d of %d bytes has others", i, len(want))
		}
	}
}

// onlyFile verifies that the folder of path contains no other file.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s is there too", e.Name())
		}
	}
}
