// Package edits collects changes to source files and applies them all at once. The rest of a file
// is left unchanged, including comments, the layout of lines, and the line directives of generated
// files. Sets from several callers can be combined. Two changes to the same bytes are an error.
//
//	edits.go    a Set, and how it is applied
//	imports.go  imports that changed files need
//	names.go    names that the files of a folder declare
//	unused.go   imports that changed files no longer need
//	parts.go    the edits of one file
//	list.go     a Set as a list, for callers that apply it themselves
//	witness.go  the witness form of a Set, which checks a change at run time
package edits

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/imports"
	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
	once       bool // applied once, even if several callers add it

	watched bool   // the text differs in the witness form
	witness string // text in the witness form, if watched
}

// A Set is a set of edits, grouped by file. The zero value is an empty Set.
type Set struct {
	edits   map[string][]edit
	imports map[string]map[string]string // names by import path; "" for the package's own
	unused  map[string]map[string]bool   // import paths to remove if they are unused, by file
	created map[string][]byte
	parts   map[string]map[string]string // contents of composed files, by file name and part name
	watched map[string]map[string]string // the same contents in the witness form
}

// Unfit is the type of an error about edits that conflict with each other or with an existing file,
// or whose result does not parse. Errors of other types come from reading files.
type Unfit struct{ why string }

// Error returns the description of the problem.
func (u Unfit) Error() string { return u.why }

func unfit(format string, args ...any) error { return Unfit{fmt.Sprintf(format, args...)} }

// Empty reports whether the set changes nothing.
func (s *Set) Empty() bool { return len(s.edits) == 0 && len(s.created) == 0 && len(s.parts) == 0 }

// Replace replaces the text between two positions. The positions refer to the file that the
// compiler reads, regardless of line directives.
func (s *Set) Replace(fset *token.FileSet, from, to token.Pos, text string) {
	s.add(fset, from, to, edit{text: text})
}

// add adds an edit that replaces the text between two positions.
func (s *Set) add(fset *token.FileSet, from, to token.Pos, e edit) {
	file := fset.File(from)
	e.start, e.end = file.Offset(from), file.Offset(to)
	s.put(file.Name(), e)
}

// put adds e to the edits of a file.
func (s *Set) put(file string, e edit) {
	if e.once && slices.Contains(s.edits[file], e) {
		return
	}
	if s.edits == nil {
		s.edits = map[string][]edit{}
	}
	s.edits[file] = append(s.edits[file], e)
}

// Insert inserts text before a position. Several insertions at one position keep their order.
func (s *Set) Insert(fset *token.FileSet, at token.Pos, text string) { s.Replace(fset, at, at, text) }

// InsertOnce inserts text before a position, unless an earlier call inserted the same text there.
// It is used for additions that several changes need, such as a field.
func (s *Set) InsertOnce(fset *token.FileSet, at token.Pos, text string) {
	s.add(fset, at, at, edit{text: text, once: true})
}

// Create adds a new file. It may be called again with the same name and content.
func (s *Set) Create(name string, content []byte) error {
	if old, ok := s.created[name]; ok && !bytes.Equal(old, content) {
		return unfit("two changes would create %s", filepath.Base(name))
	}
	if s.created == nil {
		s.created = map[string][]byte{}
	}
	s.created[name] = content
	return nil
}

// Compose adds a part to a file that consists of named parts, in the order of their names. The file
// is created, or replaces an existing file. Compose may be called again with the same part and
// text.
func (s *Set) Compose(name, part, text string) error {
	return compose(&s.parts, name, part, text)
}

func compose(all *map[string]map[string]string, name, part, text string) error {
	if old, ok := (*all)[name][part]; ok && old != text {
		return unfit("two changes would create %s", filepath.Base(name))
	}
	if *all == nil {
		*all = map[string]map[string]string{}
	}
	if (*all)[name] == nil {
		(*all)[name] = map[string]string{}
	}
	(*all)[name][part] = text
	return nil
}

// Add adds the edits of another set. A replacement that is in both sets is made once. An insertion
// that is in both sets is made twice, unless InsertOnce added it.
func (s *Set) Add(other *Set) error {
	for name, content := range other.created {
		if err := s.Create(name, content); err != nil {
			return err
		}
	}
	for name, parts := range other.parts {
		for part, text := range parts {
			if err := s.Compose(name, part, text); err != nil {
				return err
			}
		}
	}
	for name, parts := range other.watched {
		for part, text := range parts {
			if err := s.ComposeWitness(name, part, text); err != nil {
				return err
			}
		}
	}
	for file, paths := range other.imports {
		for path, name := range paths {
			s.need(file, path, name)
		}
	}
	for file, paths := range other.unused {
		for path := range paths {
			s.drop(file, path)
		}
	}
	for file, all := range other.edits {
		if s.edits == nil {
			s.edits = map[string][]edit{}
		}
		for _, e := range all {
			if e.start == e.end && !e.once || !slices.Contains(s.edits[file], e) {
				s.edits[file] = append(s.edits[file], e)
			}
		}
	}
	return nil
}

// Apply returns the new contents of all files that change. A file that was formatted by gofmt
// remains formatted. Lines end as most lines of the old file do.
func (s *Set) Apply() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(s.edits)) {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all, err := s.ofFile(name, old)
		if err != nil {
			return nil, err
		}
		changed, err := apply(old, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if changed, err = withoutUnused(changed, s.unused[name]); err != nil {
			return nil, unfit("%s would not compile: %v", name, err)
		}
		original := old
		old, changed = lineend.Unix(old), lineend.Unix(changed)
		if formatted, err := format.Source(old); err == nil && bytes.Equal(formatted, old) {
			if changed, err = format.Source(changed); err != nil {
				return nil, unfit("%s would not compile: %v", name, err)
			}
		}
		files[name] = lineend.Like(original, changed)
	}
	for name, content := range s.created {
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			return nil, unfit("%s already exists; start from the original package", name)
		}
		files[name] = content
	}
	for name, parts := range s.parts {
		var content []byte
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			content = append(content, parts[part]...)
		}
		files[name] = content
	}
	return files, nil
}

// ofFile returns the edits of a file, including the edits that add imports.
func (s *Set) ofFile(name string, old []byte) ([]edit, error) {
	all := s.edits[name]
	needed := s.imports[name]
	if len(needed) == 0 {
		return all, nil
	}
	specs, err := imports.Add(name, old, needed)
	all = slices.Clone(all)
	for _, e := range specs {
		all = append(all, edit{start: e.Start, end: e.End, text: e.Text})
	}
	return all, err
}

// apply makes the given edits in the contents of a file.
func apply(old []byte, edits []edit) ([]byte, error) {
	var out []byte
	done := 0
	for _, e := range inOrder(edits) {
		if e.start < done {
			return nil, unfit("two changes overlap")
		}
		out = append(out, old[done:e.start]...)
		out = append(out, e.text...)
		done = e.end
	}
	return append(out, old[done:]...), nil
}

// inOrder returns edits sorted by position. Edits at the same position keep their order.
func inOrder(edits []edit) []edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
}
