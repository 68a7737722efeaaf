package find_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// oldFiles contains the files of a module that old language versions accept. Its parsers are on the
// stack, and many of its strings are equal.
var oldFiles = map[string]string{
	"words.go": `package words

type Word struct {
	next *Word
	text string
}

type parser struct{ last *Word }

//go:noinline
func (p *parser) push(text string) { p.last = &Word{next: p.last, text: text} }

// Parse makes a word of each two bytes.
func Parse(data []byte) *Word {
	p := parser{}
	for len(data) > 1 {
		p.push(string(data[:2]))
		data = data[2:]
	}
	return p.last
}
`,
	"words_test.go": `package words

import (
	"bytes"
	"testing"
)

var sink *Word

func BenchmarkParse(b *testing.B) {
	data := bytes.Repeat([]byte("abcd"), 100)
	for i := 0; i < b.N; i++ {
		sink = Parse(data)
	}
}
`,
	"show/main.go": `package main

import (
	"bytes"
	"os"

	"example.org/words"
)

var sink *words.Word

func main() {
	data := bytes.Repeat([]byte("abcd"), 100)
	for i := 0; i < 1000; i++ {
		sink = words.Parse(data)
	}
	os.Exit(0)
}
`,
}

// TestLanguages verifies that code that find adds to a program compiles in the module's language
// version, so that owners and strings are counted. Without a go line, the version is go1.16.
func TestLanguages(t *testing.T) {
	for i, language := range []string{"go 1.13", "", "go 1.17", "go 1.26"} {
		t.Run(language, func(t *testing.T) {
			testsize.OneOf(t, i, "each module is built and run several times")
			t.Parallel()
			options := oldModule(t, language)
			options.Bench = "Parse"
			found, err := find.Benchmark(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			counted(t, found, 1)
		})
	}
}

func TestLanguageOfProgram(t *testing.T) {
	testsize.OnlyInFull(t, "the program is built and run several times")
	t.Parallel()
	options := oldModule(t, "go 1.13")
	options.Packages = []string{"./show"}
	found, err := find.Program(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	counted(t, found, 1000)
}

// TestShortProgram verifies that a program that ends before the first CPU sample is judged by its
// allocations.
func TestShortProgram(t *testing.T) {
	testsize.OnlyInFull(t, "the program is built and run several times")
	t.Parallel()
	options := oldModule(t, "go 1.26")
	options.Packages = []string{"./short"}
	file := filepath.Join(options.Dir, "short", "main.go")
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(oldFiles["show/main.go"], "i < 1000", "i < 1", 1)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := find.Program(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	counted(t, found, 1)
	if found.Answer != site.NotKnown || found.Classes.Samples >= remedy.MinSamples {
		t.Errorf("the answer of %d samples is %v", found.Classes.Samples, found.Answer)
	}
}

// oldModule writes the module with the given go line, and returns the options to analyze it.
func oldModule(t *testing.T, language string) find.Options {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module example.org/words\n\n"+language+"\n")
	for name, text := range oldFiles {
		put(name, text)
	}
	scratch, err := trees.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scratch.Close(); err != nil {
			t.Error(err)
		}
	})
	return find.Options{
		Dir: dir, Packages: []string{"."}, Tool: "test", Show: func(string) {}, Scratch: scratch,
		Probe: probe.Options{Samples: 100, Longest: time.Hour, Fates: true},
	}
}

// counted checks the number of parsers in an operation, and the number of distinct strings.
func counted(t *testing.T, found *find.Found, parsers float64) {
	t.Helper()
	for _, w := range found.Warnings {
		if strings.Contains(w, "not counted") {
			t.Error(w)
		}
	}
	begun, distinct := 0.0, 0
	for _, s := range found.Sites {
		for _, o := range s.Facts.Owners {
			begun = max(begun, o.Begun)
		}
		if v := s.Facts.Values; v != nil {
			distinct = v.Distinct
		}
	}
	if begun != parsers || distinct != 2 {
		t.Errorf("%v parsers begin, want %v; %d strings differ, want 2", begun, parsers, distinct)
	}
}
