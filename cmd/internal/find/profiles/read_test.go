package profiles

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadFiles(t *testing.T) {
	var written bytes.Buffer
	if err := built([]string{"samples", "cpu"}, map[string][]int64{"example.com/x.F": {1, 1}}).Write(&written); err != nil {
		t.Fatal(err)
	}
	good := written.Bytes()
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	if _, err := w.Write(make([]byte, 2<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)-6] ^= 0xff // in the checksum
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no profile", []byte("hello, world\n"), "not a profile"},
		{"truncated", good[:len(good)-9], "truncated"},
		{"only a header", good[:5], "truncated"},
		{"damaged", damaged, "damaged"},
		{"empty", nil, "empty"},
		{"text", []byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"), "without debug=1"},
		{"bomb", bomb.Bytes(), "exceeds the limit of 1 MB uncompressed"},
		{"large", make([]byte, 2<<20), "exceeds the limit of 1 MB uncompressed"},
	} {
		_, err := Parse("f.pb.gz", c.data, 1<<20)
		if err == nil || !strings.HasPrefix(err.Error(), "f.pb.gz: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v, want one line with %q", c.name, err, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "cpu")
	if err := os.WriteFile(file, good, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (&Scope{}).CPU(p); err != nil || got.Classes.Samples != 1 {
		t.Errorf("%+v, %v; want a sample", got, err)
	}
	if _, err := (&Scope{}).Heap(p, nil); err == nil || !strings.Contains(err.Error(), "alloc_objects") || !strings.Contains(err.Error(), "samples, cpu") {
		t.Errorf("a CPU profile as a heap profile: %v", err)
	}
	heap := built([]string{"alloc_objects", "alloc_space"}, nil)
	if _, err := (&Scope{}).Heap(heap, nil); err == nil || !strings.Contains(err.Error(), "no samples") {
		t.Errorf("an empty heap profile: %v", err)
	}
	if _, err := (&Scope{}).CPU(heap); err == nil || !strings.Contains(err.Error(), "not a CPU profile") {
		t.Errorf("a heap profile as a CPU profile: %v", err)
	}
	if got, err := (&Scope{}).CPU(built([]string{"samples", "cpu"}, nil)); err != nil || got.Classes.Samples != 0 {
		t.Errorf("an empty CPU profile: %+v, %v; want no samples", got, err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "absent")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
