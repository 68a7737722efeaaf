package flatimpl

import (
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A Schema is the schema of a generated package. It consists of the schema text, and of tables that
// are computed from the text when they are first used.
type Schema struct {
	name    string // name of the generated package
	text    string
	earlier []string // texts of earlier versions whose files can be loaded
	tables  func() *tables
	version func(text string) *tables // returns the tables of an earlier version
}

// tables contains the data, derived from a schema, that traversals, validation and printing need.
type tables struct {
	schema  *Schema
	text    string
	hash    uint64
	layout  *flatlayout.Layout
	shapes  []shape     // shapes by kind; the first is empty
	sizes   [256]uint32 // number of words of a record, by kind; 0 if it may have slices
	lists   [256]sizing // sizings by kind; for kinds with one slice
	refs    [256]refPlan
	root    *Kinds
	share   bool
	linked  bool  // some kinds have links
	targets Kinds // kinds that links may lead to
}

// RunCoppiceFlatAgain makes a package fail to compile if a different version of coppice flat
// generated it. The compiler's error message contains this name, which tells the user how to
// correct the error.
type RunCoppiceFlatAgain struct{ name string }

// Generation5 is called by packages that this version of coppice flat has generated, with the name
// of the package. The earlier generations were different: in the first, handles could be converted
// into each other; in the second, generated packages called package flat; in the third, Preorder
// used tables; and in the fourth, each step of a traversal was a function call.
func Generation5(name string) RunCoppiceFlatAgain { return RunCoppiceFlatAgain{name} }

// NewSchema returns the schema with the given text. The parameter earlier contains the texts of its
// earlier versions, whose files can also be loaded.
func NewSchema(generation RunCoppiceFlatAgain, text string, earlier ...string) *Schema {
	s := &Schema{name: generation.name, text: text, earlier: earlier}
	s.tables = sync.OnceValue(func() *tables {
		t, err := newTables(s, text)
		if err != nil {
			panic(fmt.Sprintf("flatimpl.NewSchema: %v", err))
		}
		return t
	})
	s.version = func(text string) *tables {
		t, err := newTables(s, text)
		if err != nil {
			panic(fmt.Sprintf("flatimpl.NewSchema: an earlier version: %v", err))
		}
		return t
	}
	return s
}

func newTables(s *Schema, text string) (*tables, error) {
	schema, err := flatlayout.Parse(text)
	if err != nil {
		return nil, err
	}
	layout, err := schema.Place()
	if err != nil {
		return nil, err
	}
	t := &tables{schema: s, text: text, hash: flatlayout.Hash(text), layout: layout, share: schema.Share}
	sets := &setCache{schema: schema, sets: map[string]*Kinds{}}
	t.root = sets.get(schema.Root)
	t.shapes = make([]shape, len(layout.Records))
	for kind := 1; kind < len(layout.Records); kind++ {
		t.shapes[kind], err = newShape(layout, layout.Records[kind], sets)
		if err != nil {
			return nil, err
		}
		t.refs[kind] = t.shapes[kind].refPlan()
		t.linked = t.linked || t.shapes[kind].linked
		t.targets.addTargets(t.shapes[kind].slots)
		if shape := &t.shapes[kind]; shape.lists {
			t.lists[kind] = shape.sizing()
		} else {
			t.sizes[kind] = shape.words
		}
	}
	return t, nil
}

// find returns the tables of the version with the given text, or nil if there is no such version.
func (s *Schema) find(text string) *tables {
	if text == s.text {
		return s.tables()
	}
	for _, earlier := range s.earlier {
		if text == earlier {
			return s.version(earlier)
		}
	}
	return nil
}

// kindName returns the name of a kind.
func (t *tables) kindName(kind uint8) string {
	if kind == 0 || int(kind) >= len(t.layout.Records) {
		return fmt.Sprintf("kind %d", kind)
	}
	return t.layout.Records[kind].Name
}
