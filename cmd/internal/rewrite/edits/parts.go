package edits

import (
	"maps"
	"slices"
)

// A Part is an edit of one file, with the text for the witness form. If Once is set, the edit is
// made only once, even if several callers add it.
type Part struct {
	Start, End    int
	Text, Witness string
	Once          bool
}

// Edited returns the names of the files that are edited.
func (s *Set) Edited() []string { return slices.Sorted(maps.Keys(s.edits)) }

// Parts returns the edits of a file in order, except for the edits that add imports.
func (s *Set) Parts(file string) (all []Part) {
	for _, e := range inOrder(s.edits[file]) {
		p := Part{e.start, e.end, e.text, e.text, e.once}
		if e.watched {
			p.Witness = e.witness
		}
		all = append(all, p)
	}
	return all
}

// Needed returns the imports that will be added to a file, as a map from import paths to names. The
// name "" stands for the package's own name.
func (s *Set) Needed(file string) map[string]string { return s.imports[file] }

// Put adds an edit of a file, which need not be a Go file.
func (s *Set) Put(file string, p Part) {
	e := both(p.Text, p.Witness)
	e.start, e.end, e.once = p.Start, p.End, p.Once
	s.put(file, e)
}
