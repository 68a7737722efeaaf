package schema

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// The methods in this file return the Go types and expressions that generated code uses for schema
// types.

// Read returns the Go type that the accessor of a field returns.
func (t *Type) Read() string {
	switch t.Base {
	case flatlayout.Bytes:
		return "string"
	case flatlayout.Ref, flatlayout.Link, flatlayout.Inline:
		return t.Name
	case flatlayout.Array:
		if t.ReadsAsIs() {
			return t.Go
		}
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem.Read())
	default:
		return t.Go
	}
}

// Write returns the Go type of a value that is passed to a Builder's method.
func (t *Type) Write() string {
	switch t.Base {
	case flatlayout.Inline:
		return t.Name + "Fields"
	case flatlayout.Ref, flatlayout.Link:
		return t.Name
	case flatlayout.Array:
		if t.WritesAsIs() {
			return t.Go
		}
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem.Write())
	case flatlayout.Slice:
		return "[]" + t.Elem.Write()
	case flatlayout.Optional:
		return "*" + t.Elem.Write()
	default:
		return t.Go
	}
}

// ReadsAsIs reports whether an accessor returns the type that the schema declares.
func (t *Type) ReadsAsIs() bool {
	return t.Base.IsScalar() || t.Base == flatlayout.String || t.Base == flatlayout.Array && t.Elem.ReadsAsIs()
}

// WritesAsIs reports whether a Builder's method accepts the type that the schema declares.
func (t *Type) WritesAsIs() bool {
	switch t.Base {
	case flatlayout.Ref, flatlayout.Link, flatlayout.Inline:
		return false
	case flatlayout.Array, flatlayout.Slice:
		return t.Elem.WritesAsIs()
	default:
		return true
	}
}

// Basic returns the predeclared Go type that underlies values of type t, such as float64.
func (t *Type) Basic() string { return t.Base.Info().Basic }

// As returns the Go expression that converts a value of the basic type to type t.
func (t *Type) As(expression string) string {
	if t.Go == t.Basic() {
		return expression
	}
	return t.Go + "(" + expression + ")"
}

// Plain returns the Go expression that converts a value of type t to the basic type.
func (t *Type) Plain(expression string) string {
	if t.Go == t.Basic() {
		return expression
	}
	return t.Basic() + "(" + expression + ")"
}

// WideSuffix returns the name suffix of a narrow number's range check function.
func (t *Type) WideSuffix() string { return Pick(t.Wide, "Wide", "") }

// Whole returns the Go expression that converts a narrow number to the parameter type of its range
// check function.
func (t *Type) Whole(v string) string {
	if !t.Wide {
		return t.Plain(v)
	}
	return Pick(t.Base.Info().Class == flatlayout.Signed, "int64", "uint64") + "(" + v + ")"
}

// SetType returns the parameter type of a setter, which is also the type that the Builder's methods
// use.
func (t *Type) SetType() string {
	if t.Innermost().Base == flatlayout.Bytes {
		return t.Write()
	}
	return t.Read()
}

// Pick returns a if first is true, and b otherwise.
func Pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// Article returns name with the indefinite article "a" or "an" in front of it.
func Article(name string) string {
	if strings.ContainsRune("AEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
