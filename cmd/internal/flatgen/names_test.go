package flatgen

import (
	"testing"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// The number of an interned string has a name of its own, also where a field has the one that it would get.
func TestNumberNames(t *testing.T) {
	text := &Type{Type: flatlayout.Type{Base: flatlayout.String}}
	line := &Field{Name: "Line", Type: text, Intern: true}
	tags := &Field{Name: "Tags", Type: &Type{Type: flatlayout.Type{Base: flatlayout.Slice}, Elem: text}, Intern: true}
	s := &Struct{Fields: []*Field{line, tags}}
	if got := s.numberName(line) + " " + s.numberName(tags); got != "LineNumber TagNumber" {
		t.Errorf("the names are %s", got)
	}
	s.Fields = append(s.Fields, &Field{Name: "LineNumber", Type: text}, &Field{Name: "TagNumber", Type: text, Intern: true})
	if got := s.numberName(line) + " " + s.numberName(tags) + " " + s.numberName(s.Fields[3]); got != "LineStringNumber TagStringNumber TagNumberNumber" {
		t.Errorf("the names are %s", got)
	}
}
