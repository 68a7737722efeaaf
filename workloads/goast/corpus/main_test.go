package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": "package a\n\nfunc f() { g() }\n", "sub/b.go": "package b\n", "sub/bad.go": "no package\n", "testdata/c.go": "package c\n", "x.txt": "text"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for nodes, want := range map[int][]string{
		0:  {"1 files do not parse", "open, 2 trees", "1 calls in 12 nodes", "a look-up"},
		30: {"open, 5 trees", "3 calls in 34 nodes"},
	} {
		var out strings.Builder
		if err := run(options{out: filepath.Join(t.TempDir(), "forest"), folder: dir, nodes: nodes}, &out); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%d nodes: there is no %q in\n%s", nodes, part, &out)
			}
		}
	}
	var out strings.Builder
	if err := run(options{out: filepath.Join(t.TempDir(), "forest"), folder: dir, part: 1, parts: 3}, &out); err != nil || !strings.Contains(out.String(), "open, 1 trees") {
		t.Errorf("a part: %v\n%s", err, &out)
	}
	if err := run(options{out: filepath.Join(t.TempDir(), "forest"), folder: dir, part: 4, parts: 5}, &out); err == nil || err.Error() != "part 4 of 5 has no file" {
		t.Errorf("a part without files: %v", err)
	}
	if err := run(options{out: filepath.Join(dir, "forest"), folder: filepath.Join(dir, "testdata", "none")}, new(strings.Builder)); err == nil {
		t.Error("a folder that is not there")
	}
}
