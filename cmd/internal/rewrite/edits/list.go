package edits

import (
	"maps"
	"os"
	"slices"
)

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	File       string
	Start, End int
	Text       string
}

// List returns the edits sorted by file and position, including edits that add imports. Insertions
// at the same position are combined into one edit. List does not remove imports that are no longer
// used; the caller must do that. New files are not included; see Created.
func (s *Set) List() (list []Edit, err error) {
	for _, name := range slices.Sorted(maps.Keys(s.edits)) {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all, err := s.ofFile(name, old)
		if err != nil {
			return nil, err
		}
		for _, e := range inOrder(all) {
			if e.start == e.end && e.text == "" { // text is inserted only in the witness form
				continue
			}
			if n := len(list); n > 0 && list[n-1].File == name && list[n-1].Start == e.start && list[n-1].End == e.start {
				list[n-1].Text += e.text
				list[n-1].End = e.end
				continue
			}
			list = append(list, Edit{name, e.start, e.end, e.text})
		}
	}
	return list, nil
}

// Created returns the names of the files that are created or composed.
func (s *Set) Created() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(s.created)), slices.Collect(maps.Keys(s.parts)))))
}
