// Package dom is the document object model of JSON: the schema that package domflat is
// generated from and, as ordinary Go types, its pointer form.
package dom

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../domflat

// Value is a JSON value.
//
//flat:sum
//flat:root Value
type Value interface{ isValue() }

// Null is null.
type Null struct{}

// Bool is true or false.
type Bool struct{ Value bool }

// Int is a number that is a 32-bit integer, but not -0. It takes half the space of a Number.
type Int struct{ Value int32 }

// Number is any other number.
type Number struct{ Value float64 }

// String is a JSON string.
type String struct{ Value string }

// Array is a JSON array.
type Array struct{ Items []Value }

// Object is a JSON object. Its members are in the order of the text, and no two have the same
// key.
type Object struct{ Members []Member }

// Member is a member of an object.
type Member struct {
	Key   string `flat:"intern"`
	Value Value
}

func (*Null) isValue()   {}
func (*Bool) isValue()   {}
func (*Int) isValue()    {}
func (*Number) isValue() {}
func (*String) isValue() {}
func (*Array) isValue()  {}
func (*Object) isValue() {}
