package flatimpl

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// Narrow types, such as flat.Uint24, are Go types that have more bits than a tree stores for them.
// A number of such a type is checked when it is stored in a tree. If it does not fit, Builders and
// setters panic, and FromTree returns an error.

// Unsigned returns v if it has at most the given number of bits, and panics otherwise. The panic
// message describes the value by the string in where.
func Unsigned(v, bits uint32, where string) uint32 {
	if v>>bits != 0 {
		panic(outOfRange{where, int64(v), flatlayout.Unsigned, bits})
	}
	return v
}

// Signed returns v in two's complement with the given number of bits, and panics if v does not fit.
// The panic message describes the value by the string in where.
func Signed(v int32, bits uint32, where string) uint32 {
	if above := 32 - bits; v<<above>>above != v {
		panic(outOfRange{where, int64(v), flatlayout.Signed, bits})
	}
	return uint32(v) & (1<<bits - 1)
}

// UnsignedWide is like Unsigned for a 64-bit number.
func UnsignedWide(v uint64, bits uint32, where string) uint32 {
	if v >= 1<<bits {
		panic(outOfRange{where, int64(v), flatlayout.Unsigned, bits})
	}
	return uint32(v)
}

// SignedWide is like Signed for a 64-bit number.
func SignedWide(v int64, bits uint32, where string) uint32 {
	if above := 64 - bits; v<<above>>above != v {
		panic(outOfRange{where, v, flatlayout.Signed, bits})
	}
	return uint32(v) & (1<<bits - 1)
}

// Unsigned reports whether v has at most the given number of bits. If not, the conversion fails
// with an error that names the field by the string in where.
func (c *Converter) Unsigned(v, bits uint32, where string) bool {
	return c.inRange(v>>bits == 0, outOfRange{where, int64(v), flatlayout.Unsigned, bits})
}

// Signed reports whether v fits in two's complement with the given number of bits. If not, the
// conversion fails with an error that names the field by the string in where.
func (c *Converter) Signed(v int32, bits uint32, where string) bool {
	above := 32 - bits
	return c.inRange(v<<above>>above == v, outOfRange{where, int64(v), flatlayout.Signed, bits})
}

// UnsignedWide is like Unsigned for a 64-bit number.
func (c *Converter) UnsignedWide(v uint64, bits uint32, where string) bool {
	return c.inRange(v>>bits == 0, outOfRange{where, int64(v), flatlayout.Unsigned, bits})
}

// SignedWide is like Signed for a 64-bit number.
func (c *Converter) SignedWide(v int64, bits uint32, where string) bool {
	above := 64 - bits
	return c.inRange(v<<above>>above == v, outOfRange{where, v, flatlayout.Signed, bits})
}

func (c *Converter) inRange(ok bool, err outOfRange) bool {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("%w: %w", ErrRange, err)
	}
	return ok
}

// An outOfRange is the error for a number that does not fit in its field. The message is formatted
// in Error and not in Unsigned and Signed, so that these two can be inlined.
type outOfRange struct {
	where string
	value int64
	class flatlayout.Class
	bits  uint32
}

// Error describes the field, its value, and its valid range.
func (o outOfRange) Error() string {
	least, most := int64(0), int64(1)<<o.bits-1
	if o.class == flatlayout.Signed {
		least, most = -1<<(o.bits-1), most>>1
	}
	if o.class == flatlayout.Unsigned {
		return fmt.Sprintf("%s is %d, and %d bits hold %d to %d", o.where, uint64(o.value), o.bits, least, most)
	}
	return fmt.Sprintf("%s is %d, and %d bits hold %d to %d", o.where, o.value, o.bits, least, most)
}
