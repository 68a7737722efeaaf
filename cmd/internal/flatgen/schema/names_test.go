package schema

import (
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// TestNumberNames verifies that the accessor for the number of an interned string gets another name
// if a field already has the usual one.
func TestNumberNames(t *testing.T) {
	text := &Type{Type: flatlayout.Type{Base: flatlayout.String}}
	line := &Field{Name: "Line", Type: text, Intern: true}
	tags := &Field{Name: "Tags", Type: &Type{Type: flatlayout.Type{Base: flatlayout.Slice}, Elem: text}, Intern: true}
	s := &Struct{Fields: []*Field{line, tags}}
	if got := s.NumberName(line) + " " + s.NumberName(tags); got != "LineNumber TagNumber" {
		t.Errorf("the names are %s", got)
	}
	s.Fields = append(s.Fields, &Field{Name: "LineNumber", Type: text}, &Field{Name: "TagNumber", Type: text, Intern: true})
	if got := s.NumberName(line) + " " + s.NumberName(tags) + " " + s.NumberName(s.Fields[3]); got != "LineStringNumber TagStringNumber TagNumberNumber" {
		t.Errorf("the names are %s", got)
	}
}

// TestLocalNames verifies that a parameter or variable is named after its field if that name is
// free.
func TestLocalNames(t *testing.T) {
	m := &Model{Import: "expr"}
	for name, want := range map[string]string{
		"Value": "value", "L": "l", "ID": "id", "URLPath": "urlPath", "Type": "type_", "Len": "len_", "N": "n_",
		"Expr": "expr_", "F32": "f32", "XY": "xy", "String": "string_", "Fn": "fn", "I0": "i0_", "X12": "x12_", "Depth": "depth", "X": "x", "At": "at", "KindsOfExpr": "fieldKindsOfExpr", "First": "first", "FirstX": "fieldFirstX",
		"𝐀": "𝐀_", // a letter without a lower-case variant
	} {
		if got := m.Parameter(&Struct{Fields: []*Field{{Name: name}}}, name); got != want {
			t.Errorf("the variable for %s is %s, want %s", name, got, want)
		}
	}
	same := &Struct{}
	for _, name := range []string{"XY", "Xy", "Xy_", "N", "N_"} {
		same.Fields = append(same.Fields, &Field{Name: name})
	}
	if got, want := m.Locals(same, OwnLocals), []string{"xy", "xy_", "xy__", "n_", "n__"}; !slices.Equal(got, want) {
		t.Errorf("the variables are %v, want %v", got, want)
	}
}
