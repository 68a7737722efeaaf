package formats

import (
	"go/ast"
	"go/types"
)

// A Part is one part of the string that a call builds: a constant or a formatted operand.
type Part struct {
	Text    string   // the string of a constant part; the other parts have an Operand
	Operand ast.Expr // nil if the part is constant
	Way     Way
	Base    int   // base of an integer, such as 10 for %d
	Format  byte  // format of a floating-point number, as in strconv
	Digits  int   // precision, as in strconv; -1 for as many digits as necessary
	Bits    int   // size of a floating-point number in bits
	Kind    Basic // kind of the operand's type
	Named   bool  // the operand has a defined type and needs a conversion
}

// Basic is the kind of a predeclared type, such as types.Int.
type Basic = types.BasicKind

// A Way states how an operand is converted to a string.
type Way int

// Values of Way.
const (
	Constant   Way = iota
	AsIs           // the operand is a string and is used unchanged
	Signed         // strconv.Itoa or strconv.FormatInt
	Unsigned       // strconv.FormatUint
	Rune           // string(r)
	Quoted         // strconv.Quote
	QuotedRune     // strconv.QuoteRune
	Truth          // strconv.FormatBool
	Float          // strconv.FormatFloat
)

// Function returns the name of the function or the conversion that formats the part, or "" if the
// part needs none.
func (p Part) Function() string {
	switch p.Way {
	case Signed:
		if p.Base == 10 && p.Kind == types.Int {
			return "strconv.Itoa"
		}
		return "strconv.FormatInt"
	case Unsigned:
		return "strconv.FormatUint"
	case Rune:
		return "string(rune)"
	case Quoted:
		return "strconv.Quote"
	case QuotedRune:
		return "strconv.QuoteRune"
	case Truth:
		return "strconv.FormatBool"
	case Float:
		return "strconv.FormatFloat"
	}
	return ""
}

// Copies reports whether formatting the part creates a new string, which shares no memory with the
// operand.
func (p Part) Copies() bool { return p.Way != AsIs && p.Way != Constant }

// bases maps the integer verbs to their bases.
var bases = map[byte]int{'d': 10, 'v': 10, 'x': 16, 'o': 8, 'b': 2}

// partOf returns the part for an operand of type t that is formatted with the verb v. If the verb
// does not fit the type, or if the type may have methods, why states the reason that the call
// cannot be rewritten; otherwise why is "".
func partOf(operand ast.Expr, t types.Type, pkg *types.Package, v verb) (p Part, why string) {
	b, ok := t.Underlying().(*types.Basic)
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter || !ok {
		return p, "fmt prints a " + types.TypeString(t, types.RelativeTo(pkg)) + " in a special way"
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		switch {
		case types.NewMethodSet(t).Len() > 0:
			return p, named.Obj().Name() + " has methods, which fmt may call"
		case named.Obj().Pkg() != pkg:
			return p, named.Obj().Name() + " is a type of another package, which may give it a method"
		}
		p.Named = true
	}
	p.Operand, p.Kind = operand, b.Kind()
	info := b.Info()
	narrow := b.Kind() == types.Int8 || b.Kind() == types.Int16 || b.Kind() == types.Int32 || b.Kind() == types.Uint8 || b.Kind() == types.Uint16
	switch {
	case info&types.IsUntyped != 0: // the operand is nil
	case v.precise && info&types.IsFloat == 0:
	case info&types.IsString != 0 && (v.letter == 's' || v.letter == 'v'):
		p.Way = AsIs
	case info&types.IsString != 0 && v.letter == 'q':
		p.Way = Quoted
	case info&types.IsInteger != 0 && bases[v.letter] > 0:
		p.Way, p.Base = Signed, bases[v.letter]
		if info&types.IsUnsigned != 0 {
			p.Way = Unsigned
		}
	case narrow && v.letter == 'c':
		p.Way = Rune
	case narrow && v.letter == 'q':
		p.Way = QuotedRune
	case info&types.IsBoolean != 0 && (v.letter == 't' || v.letter == 'v'):
		p.Way = Truth
	case info&types.IsFloat != 0 && floats[v.letter] != 0:
		p.Way, p.Format, p.Digits, p.Bits = Float, floats[v.letter], v.digits(), 64
		if b.Kind() == types.Float32 {
			p.Bits = 32
		}
	}
	if p.Way == Constant {
		return p, "%" + string(v.letter) + " of a " + types.TypeString(t, types.RelativeTo(pkg)) + " has no counterpart in package strconv"
	}
	return p, ""
}

// floats maps the floating-point verbs to the corresponding strconv formats.
var floats = map[byte]byte{'v': 'g', 'g': 'g', 'e': 'e', 'f': 'f'}
