package symbols

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
)

// FuzzIntern interns the lines of the input and compares the table with a map.
func FuzzIntern(f *testing.F) {
	f.Add([]byte("a\nb\n\na\n\x00\n"))
	f.Add(bytes.Repeat([]byte("x\ny"), 100))
	f.Fuzz(func(t *testing.T, data []byte) {
		table := opened(t, Options{Max: len(data) + 1})
		want := map[string]Symbol{}
		for _, line := range bytes.Split(data, []byte("\n")) {
			next, ok := want[string(line)]
			if !ok {
				next = Symbol(len(want) + 1)
				want[string(line)] = next
			}
			if s := table.InternBytes(line); s != next || table.String(s) != string(line) {
				t.Fatalf("%q is %d, want %d", line, s, next)
			}
		}
		check(t, table.Verify())
	})
}

// FuzzOpenFile replaces a section of a file and corrects the checksums. The file must be rejected,
// or every operation on the table must terminate.
func FuzzOpenFile(f *testing.F) {
	source, err := New(Options{Max: 100})
	check(f, err)
	source.setSeed(1)
	defer source.Close()
	for i := range 40 {
		source.Intern(name(i))
	}
	meta, all := parts(f, source)
	for i, b := range append(all, meta) {
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, section uint8, b []byte) {
		replaced := append([][]byte(nil), all...)
		h := image.Header{Kind: kind, Version: version, Meta: meta}
		if at := int(section) % (len(all) + 1); at < len(all) {
			replaced[at] = b
		} else {
			h.Meta = b[:min(len(b), image.MaxMeta)]
		}
		path := filepath.Join(t.TempDir(), "table")
		check(t, image.Save(path, h, replaced...))
		use(t, path)
	})
}
