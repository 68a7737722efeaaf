// Package concrete is the remedy that passes a value with its concrete type, instead of as an
// interface:
//
//	type Stack struct{ values []any }
//	func (s *Stack) Push(v any) { s.values = append(s.values, v) }
//
// becomes
//
//	type Stack[T any] struct{ values []T }
//	func (s *Stack[T]) Push(v T) { s.values = append(s.values, v) }
//
// An interface contains a pointer, so a value that is not a pointer is copied to the Go heap. The
// conversion of some values costs nothing, because static copies of them exist: constants, numbers
// below 256, and zero values of some types.
//
// This remedy is only advice, because it changes the signature of a function and all of its
// callers.
package concrete

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation and the rules of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 12, Name: "a value in an interface", Match: boxed, Do: remedy.Words("concrete type")},
	},
	Subject: remedy.Typed,
}

func boxed(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Box {
		return nil
	}
	why := []string{"a value that goes into an interface is copied to the Go heap"}
	if s.Facts.Type != "" {
		why = append(why, fmt.Sprintf("with a parameter of type %s, a type parameter or a pointer nothing is copied", remedy.Bare(s.Facts.Type)))
	}
	return why
}
