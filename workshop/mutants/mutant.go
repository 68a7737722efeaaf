package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Mutant is one file of the corpus: a harmful change that the tests must detect.
type Mutant struct {
	Name    string // path in the corpus, without the extension
	Promise string // promise that the mutant breaks, and where it is documented
	Tests   []string
	Mode    Mode
	Size    Size // the only size at which the tests catch the mutant, or AnySize
	Edits   []Edit
}

// An Edit replaces whole lines of one file. Old must occur in the file exactly once. An edit
// therefore stays valid when other lines change, and fails when the old lines change.
type Edit struct{ File, Old, New string }

// becomes separates the old lines from the new lines in a file of the corpus.
const becomes = "becomes"

// Corpus reads all mutants below the root of files, sorted by name.
func Corpus(files fs.FS) (all []Mutant, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		b, err := parse(strings.TrimSuffix(name, path.Ext(name)), data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, b)
		return nil
	})
	return all, err
}

// parse parses one file of the corpus.
func parse(name string, data []byte) (Mutant, error) {
	b := Mutant{Name: name}
	archive := txtar.Parse(data)
	var promise []string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		key, value, isKey := strings.Cut(line, ": ")
		switch {
		case isKey && key == "tests":
			b.Tests = strings.Fields(value)
		case isKey && key == "build":
			b.Mode = Mode(value)
		case isKey && key == "size":
			b.Size = Size(value)
		case line != "":
			promise = append(promise, line)
		}
	}
	b.Promise = strings.Join(promise, " ")
	if !slices.Contains(modes, b.Mode) {
		return b, fmt.Errorf("invalid build %q: must be one of %q", b.Mode, modes[1:])
	}
	if !slices.Contains(sizes, b.Size) {
		return b, fmt.Errorf("invalid size %q: must be one of %q", b.Size, sizes[1:])
	}
	if b.Promise == "" || len(b.Tests) == 0 {
		return b, errors.New("a mutant needs the promise that it breaks, and a line \"tests: \" with the packages that notice")
	}
	if len(archive.Files) == 0 || len(archive.Files)%2 != 0 {
		return b, fmt.Errorf("each edit is two sections, \"-- FILE --\" and \"-- %s --\"", becomes)
	}
	for pair := range slices.Chunk(archive.Files, 2) {
		if pair[0].Name == becomes || pair[1].Name != becomes {
			return b, fmt.Errorf("after section %q comes %q; want %q", pair[0].Name, pair[1].Name, becomes)
		}
		b.Edits = append(b.Edits, Edit{pair[0].Name, string(pair[0].Data), string(pair[1].Data)})
	}
	return b, nil
}

// Apply returns the new contents of the files that the mutant changes.
func (b Mutant) Apply(tree fs.FS) (map[string][]byte, error) {
	changed := map[string][]byte{}
	for _, e := range b.Edits {
		text, ok := changed[e.File]
		if !ok {
			var err error
			if text, err = fs.ReadFile(tree, e.File); err != nil {
				return nil, fmt.Errorf("it changes a file that does not exist: %w", err)
			}
		}
		at := places(string(text), e.Old)
		if len(at) != 1 {
			return nil, fmt.Errorf("%s contains the lines to replace %d times, want once; bring the mutant into step with the code", e.File, len(at))
		}
		changed[e.File] = slices.Replace(slices.Clone(text), at[0], at[0]+len(e.Old), []byte(e.New)...)
	}
	return changed, nil
}

// places returns the offsets in text at which the old lines start.
func places(text, old string) (all []int) {
	for from := 0; old != ""; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			break
		}
		if at += from; at == 0 || text[at-1] == '\n' {
			all = append(all, at)
		}
		from = at + 1
	}
	return all
}
