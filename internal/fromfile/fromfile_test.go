package fromfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if _, _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, info, err := Open(path)
	if err != nil || info.Size() != 4 {
		t.Fatal(info, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := Open(folder); !errors.Is(err, ErrInvalid) {
		t.Errorf("a folder: %v", err)
	}
}

func TestInvalid(t *testing.T) {
	a, b := Invalid("the map is damaged"), Invalid("the map is damaged")
	if !errors.Is(a, ErrInvalid) || errors.Is(a, ErrMismatch) || errors.Is(a, b) || a.Error() != "the map is damaged" {
		t.Error(a)
	}
}
