package flatimpl

import "github.com/coppice-go/coppice/internal/checks"

// Strings maps the strings of a tree to numbers, so that equal strings have the same number: the
// smallest index at which the string is in the string table. The table may contain a string several
// times, for three reasons: setters append strings, fields without flat:"intern" do not search for
// equal strings, and other programs may have written the file. A Strings does not change, so any
// number of goroutines may use it concurrently. See docs/decisions/0025.
type Strings struct {
	tree  *Tree
	same  []uint32 // number of each string, by index in the table
	index *interned
}

// Strings computes the numbers of all strings, in one pass over the table.
func (t *Tree) Strings() *Strings {
	t.checkFreed("flatimpl.Tree.Strings")
	s := &Strings{t, make([]uint32, len(t.ends)), &interned{}}
	for i := 1; i < len(t.ends); i++ {
		text := t.string(uint32(i))
		if text == "" {
			continue
		}
		slot, hash := s.index.find(t, text)
		if slot.id == 0 {
			*slot = internSlot{uint32(i), hash}
			s.index.used++
		}
		s.same[i] = slot.id
	}
	return s
}

// Len returns the number of strings in the table, which is greater than all numbers.
func (s *Strings) Len() int { return len(s.same) }

// Number returns the number of a string, if it is in the tree. Every tree contains the empty
// string.
func (s *Strings) Number(text string) (number int, ok bool) {
	s.tree.checkFreed("flatimpl.Strings.Number")
	if text == "" {
		return 0, true
	}
	id := s.index.lookup(s.tree, text)
	return int(id), id != 0
}

// Text returns the string with the given number.
func (s *Strings) Text(number int) string {
	if checks.Enabled {
		s.tree.checkFreed("flatimpl.Strings.Text")
	}
	if uint(number) >= uint(len(s.same)) {
		panic("flatimpl.Strings.Text: no string has that number")
	}
	return s.tree.string(uint32(number))
}

// wrongStrings is the panic message for a string that has no number in a Strings.
const wrongStrings = "flatimpl.Node.TextNumber: the strings of another tree, or a string that was set later; call Strings again"

// of returns the number of the string with index i in the string table of tree t.
func (s *Strings) of(t *Tree, i uint32) int {
	if t != s.tree || uint(i) >= uint(len(s.same)) {
		panic(wrongStrings)
	}
	return int(s.same[i])
}

// TextNumber returns the number of a string, which is the same for all equal strings. The word
// contains the index of the string in the string table, which may differ between equal strings.
func (n Node) TextNumber(word uint32, s *Strings) int {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return s.of(n.tree, n.tree.words[n.index+word])
}

// OptionalTextNumber is like TextNumber for an optional string. It also reports whether the string
// is present.
func (n Node) OptionalTextNumber(word uint32, s *Strings) (int, bool) {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	i := n.tree.words[n.index+word]
	return s.of(n.tree, i), i != 0
}

// TextNumber returns the number of the string that is item i.
func (l List) TextNumber(i int, s *Strings) int { return s.of(l.tree, l.Word(i)) }
