package sheet

import "github.com/coppice-go/coppice/arena"

// A Sheet is the tree of a parsed source. It is valid until the arena that it was parsed with is
// reset.
type Sheet struct {
	Title string // "" if the source gives none; it lives as long as the sheet

	source      string
	arena       *arena.Arena // nil for the Go heap
	definitions []*definition
	slots       int // maximum number of names in scope at once
}

// A definition gives an expression a name, and is part of the answer if it is shown.
type definition struct {
	name  string
	shown bool
	slot  int
	value expression
}

// An expression is a pointer to one of the types below. Each has its position in the source, for
// errors.
type expression interface{ begins() place }

// A place is an offset in the source, in bytes.
type place int32

func (p place) begins() place { return p }

type number struct {
	place
	value numberValue
}

type boolean struct {
	place
	value bool
}

type text struct {
	place
	value textValue
}

// A variable is a name, resolved to the slot of its value.
type variable struct {
	place
	slot int
}

type unary struct {
	place
	operator tokenKind
	operand  expression
}

type binary struct {
	place
	operator    tokenKind
	left, right expression
}

type conditional struct {
	place
	condition, yes, no expression
}

type list struct {
	place
	items []expression
}

// A comprehension is [for variable in source where condition yield item].
type comprehension struct {
	place
	slot      int
	source    expression
	condition expression // nil if there is none
	item      expression
}

type record struct {
	place
	fields []field
}

type field struct {
	name  string
	value expression
}

// A selection is record.name.
type selection struct {
	place
	record expression
	name   string
}

// An element is list[index].
type element struct {
	place
	list, index expression
}

type call struct {
	place
	function  function
	arguments []expression
}
