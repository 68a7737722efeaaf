package golang

import (
	"fmt"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// This file generates the expressions with which Go code reads and writes scalars. They depend on
// the table of base types.

// small returns the expression that reads a field of n that shares its word with other fields.
func (e *emitter) small(t *schema.Type, at flatlayout.Bits) string {
	word := fmt.Sprintf("n.node.Word(%d)", at.Word)
	above := 32 - at.Shift - at.Width
	switch {
	case t.Base == flatlayout.Bool:
		return t.As(fmt.Sprintf("n.node.Flag(%d, %d)", at.Word, at.Shift))
	case t.Base.IsNarrow() && t.Base.Info().Class == flatlayout.Signed:
		return fmt.Sprintf("%s(%s(%s) >> %d)", t.Go, t.Basic(), moved(word, "<<", above), 32-at.Width)
	case t.Base.IsNarrow() && above > 0:
		return fmt.Sprintf("%s(%s & %#x)", t.Go, moved(word, ">>", at.Shift), 1<<at.Width-1)
	default: // the conversion drops the higher bits
		return fmt.Sprintf("%s(%s)", t.Go, moved(word, " >> ", at.Shift))
	}
}

// moved returns the given expression, shifted by the given number of bits. operator is the shift
// operator. If bits is 0, moved returns the expression unchanged.
func moved(expression, operator string, bits int) string {
	if bits == 0 {
		return expression
	}
	return expression + operator + strconv.Itoa(bits)
}

// scalar returns the expression that converts an unsigned integer, as it is stored, to the scalar
// type t.
func (e *emitter) scalar(t *schema.Type, bits string) string {
	switch info := t.Base.Info(); {
	case t.Size:
		whole := fmt.Sprintf("flatimpl.%s(%s)", schema.Pick(info.Class == flatlayout.Signed, "Int", "Uint"), bits)
		if t.Go == "int" || t.Go == "uint" {
			return whole
		}
		return t.Go + "(" + whole + ")"
	case info.Class == flatlayout.Floating:
		e.needs("math")
		return t.As(fmt.Sprintf("math.Float%dfrombits(%s)", info.Bits, bits))
	case info.Class == flatlayout.Boolean:
		return t.As(bits + " != 0")
	case info.Class == flatlayout.Unsigned:
		return t.As(bits)
	default:
		if above := info.Item - info.Bits; above > 0 {
			bits = fmt.Sprintf("%s(%s<<%d) >> %d", info.Basic, bits, above, above)
		}
		return t.Go + "(" + bits + ")"
	}
}

// bits returns the expression that converts the scalar v to the unsigned integer that is stored.
func (e *emitter) bits(t *schema.Type, v string) string {
	info := t.Base.Info()
	switch {
	case t.Base.IsNarrow():
		check := schema.Pick(info.Class == flatlayout.Signed, "Signed", "Unsigned")
		return fmt.Sprintf("flatimpl.%s(%s, %d, %q)", check+t.WideSuffix(), t.Whole(v), info.Bits, e.place)
	case info.Class == flatlayout.Floating:
		e.needs("math")
		return fmt.Sprintf("math.Float%dbits(%s)", info.Bits, t.Plain(v))
	case info.Class == flatlayout.Boolean:
		return "flatimpl.Bit(" + t.Plain(v) + ")"
	case info.Class == flatlayout.Signed:
		return fmt.Sprintf("uint%d(%s)", info.Bits, v)
	default:
		return t.Plain(v)
	}
}

// toUint32 returns the expression that converts the scalar v to a uint32.
func (e *emitter) toUint32(t *schema.Type, v string) string {
	switch info := t.Base.Info(); {
	case info.Bits != 8 && info.Bits != 16 || t.Base.IsNarrow():
		return e.bits(t, v)
	case info.Class == flatlayout.Signed:
		return "uint32(" + e.bits(t, v) + ")"
	default:
		return "uint32(" + v + ")"
	}
}
