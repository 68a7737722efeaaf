package vmem

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bytes of a mapped file can be read until Close, and fault afterwards. The next mapping reuses
// the addresses.
func TestFileMap(t *testing.T) {
	want := strings.Repeat("coppice ", 1<<14)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := MapFile(f, int64(len(want)))
	if errors.Is(err, ErrNoMapping) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	bytes := m.Bytes()
	if string(bytes) != want {
		t.Error("the mapping has other bytes than the file")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !faults(&bytes[0]) || !faults(&bytes[len(bytes)-1]) {
		t.Error("closed bytes can be read")
	}
	again, err := MapFile(f, int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if &again.Bytes()[0] != &bytes[0] {
		t.Error("the addresses did not come again")
	}
	if _, err := MapFile(f, 0); err == nil {
		t.Error("no bytes were mapped")
	}
}

// The mapping of a growing file grows in place as long as the reserved addresses suffice.
func TestFileMapGrows(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want []byte
	add := func(n int) {
		piece := bytes.Repeat([]byte{byte(len(want)/3 + 1)}, n)
		want = append(want, piece...)
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	add(10)
	m, err := MapFileRoom(f, 10, 1<<20)
	if errors.Is(err, ErrNoMapping) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	first := m.Bytes()
	for _, n := range []int{0, 1, 5000, 64 << 10, 1, 300_000} {
		add(n)
		if ok, err := m.Grow(f, int64(len(want))); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if !bytes.Equal(m.Bytes(), want) || &m.Bytes()[0] != &first[0] {
			t.Fatalf("the map of %d bytes shows others, or has moved", len(want))
		}
	}
	if ok, err := m.Grow(f, 2<<20); ok || err != nil {
		t.Error("it grew beyond its room", err)
	}
	last := &m.Bytes()[len(want)-1]
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !faults(last) {
		t.Error("closed bytes can be read")
	}
}
