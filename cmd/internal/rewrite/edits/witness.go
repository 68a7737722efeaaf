package edits

import (
	"go/token"
	"maps"
)

// ReplaceBoth is like Replace, with a different text for the witness form.
func (s *Set) ReplaceBoth(fset *token.FileSet, from, to token.Pos, text, witness string) {
	s.add(fset, from, to, both(text, witness))
}

// InsertBoth is like Insert, with a different text for the witness form. One of the two texts may
// be empty.
func (s *Set) InsertBoth(fset *token.FileSet, at token.Pos, text, witness string) {
	s.ReplaceBoth(fset, at, at, text, witness)
}

// InsertOnceBoth is like InsertOnce, with a different text for the witness form.
func (s *Set) InsertOnceBoth(fset *token.FileSet, at token.Pos, text, witness string) {
	e := both(text, witness)
	e.once = true
	s.add(fset, at, at, e)
}

// both returns an edit with one text for the set and another for its witness form. If the texts are
// equal, the edit is an ordinary one.
func both(text, witness string) edit {
	if text == witness {
		return edit{text: text}
	}
	return edit{text: text, watched: true, witness: witness}
}

// ComposeWitness is like Compose, but only for the witness form, in which the text replaces the
// part with the same name.
func (s *Set) ComposeWitness(name, part, text string) error {
	return compose(&s.watched, name, part, text)
}

// Witness returns the witness form of the set: the same edits, with their texts for the witness
// form. The tests are run with the witness form before the set itself is trusted. Then the witness
// form is discarded.
func (s *Set) Witness() *Set {
	w := &Set{edits: map[string][]edit{}, imports: s.imports, unused: s.unused, created: s.created, parts: map[string]map[string]string{}}
	for name, all := range s.edits {
		for _, e := range all {
			if e.watched {
				e.text = e.witness
			}
			w.edits[name] = append(w.edits[name], e)
		}
	}
	for _, parts := range []map[string]map[string]string{s.parts, s.watched} {
		for name, texts := range parts {
			if w.parts[name] == nil {
				w.parts[name] = map[string]string{}
			}
			maps.Copy(w.parts[name], texts)
		}
	}
	return w
}

// HasWitness reports whether the witness form differs from the set itself.
func (s *Set) HasWitness() bool {
	for _, all := range s.edits {
		for _, e := range all {
			if e.watched {
				return true
			}
		}
	}
	return len(s.watched) > 0
}
