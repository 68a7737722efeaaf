package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

func TestFind(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "x86_64-linux-gnu"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libtop.so.1", "x86_64-linux-gnu/libdeep.so.1"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	defer func(before []string) { libraryFolders = before }(libraryFolders)
	libraryFolders = []string{folder, filepath.Join(folder, "*")}
	for need, want := range map[experiment.Need]bool{
		{Command: "sh"}:            true,
		{Command: "no-such-cmd"}:   false,
		{Library: "libtop.so.1"}:   true,
		{Library: "libdeep.so.1"}:  true,
		{Library: "libgone.so.1"}:  false,
		{Header: "no-such-file.h"}: false,
	} {
		if got := (Machine{}).Find(need); got != want {
			t.Errorf("Find(%+v) = %v", need, got)
		}
	}
}
