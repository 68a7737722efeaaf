package vmem

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file's bytes are there until Close, fault afterwards, and the addresses come again.
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
