package source

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// parsed parses a text and fails the test if it is not valid Go.
func parsed(t *testing.T, file int, text []byte) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), Name(file), text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v\n%s", Name(file), err, text)
	}
	return f
}

// TestFiles verifies that the files are all different, the same every time, and of realistic
// length, and that Go files are valid.
func TestFiles(t *testing.T) {
	const files = 256
	sum, all := 0, map[[32]byte]bool{}
	for i := range files {
		text := File(i)
		sum += len(text)
		all[sha256.Sum256(text)] = true
		if !bytes.Equal(text, File(i)) {
			t.Errorf("file %d has two texts", i)
		}
		if IsGo(i) {
			parsed(t, i, text)
		}
		if len(text) < 500 || len(text) > 100_000 || bytes.Contains(text, []byte("%!")) {
			t.Errorf("file %d has %d bytes, or a broken format", i, len(text))
		}
	}
	if mean := sum / files; len(all) != files || mean < 4000 || mean > 16_000 {
		t.Errorf("%d files are different, of %d bytes in the mean", len(all), mean)
	}
}

// TestEdit verifies that repeated edits keep a file valid, and that nearly every edit changes the
// text.
func TestEdit(t *testing.T) {
	for file := range 32 {
		if !IsGo(file) {
			continue
		}
		text, same, returns := File(file), 0, 0
		for n := range uint64(100) {
			next := Edit(nil, text, n)
			if bytes.Equal(next, text) {
				same++
			}
			if len(next) > len(text)+6 {
				returns++
			}
			text = next
		}
		parsed(t, file, text)
		if same > 5 || returns < 5 {
			t.Errorf("%s: of 100 edits %d changed nothing, and %d added a line", Name(file), same, returns)
		}
	}
}

func TestEditOfLittle(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "// no number\n",
		"no":                       "no// no number\n",
		"a1 1b 2.5 x_3":            "a1 1b 2.5 x_3// no number\n",
		"\treturn 1\n":             "",
		"f(7)":                     "",
		"x := f(\n\treturn nil,\n": "x := f(\n\treturn nil,\n// no number\n",
	} {
		twice := false
		for n := range uint64(64) {
			got := string(Edit([]byte("before "), []byte(text), n))
			twice = twice || got == "before "+text+text
			if want != "" && got != "before "+want {
				t.Errorf("%q becomes %q", text, got)
			}
			if want == "" && (got == "before "+text || len(got) < len("before ")+len(text)) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
		if twice != (text == "\treturn 1\n") {
			t.Errorf("%q stands twice: %v", text, twice)
		}
	}
}

// TestQueried verifies that many different names are queried, that most of them occur in the files,
// and that none is empty.
func TestQueried(t *testing.T) {
	var all bytes.Buffer
	for i := range 64 {
		all.Write(File(i))
	}
	names, found := map[string]bool{}, 0
	for i := range 200 {
		name := Queried(i)
		names[name] = true
		if bytes.Contains(all.Bytes(), []byte(name)) {
			found++
		}
	}
	if len(names) < 50 || found < 120 || names[""] {
		t.Errorf("%d names, of which %d are found: %v", len(names), found, fmt.Sprint(names))
	}
}
