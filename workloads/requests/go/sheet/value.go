package sheet

import (
	"math/bits"

	"github.com/coppice-go/coppice/arena"
)

// A value is the value of an expression: a pointer to one of the types below. Values are shared and
// immutable.
type value interface{ kind() string }

type (
	numberValue  struct{ n int64 }
	booleanValue struct{ is bool }
	textValue    struct{ s string }
	listValue    struct{ items []value }
	recordValue  struct {
		shape *record // the record expression, which has the field names
		items []value // the values of the fields
	}
)

func (*numberValue) kind() string  { return "a number" }
func (*booleanValue) kind() string { return "true or false" }
func (*textValue) kind() string    { return "a text" }
func (*listValue) kind() string    { return "a list" }
func (*recordValue) kind() string  { return "a record" }

// These values are shared by all sheets.
var (
	zero = &numberValue{}
	yes  = &booleanValue{true}
	no   = &booleanValue{false}
)

func ofNumber(a *arena.Arena, n int64) value {
	v := arena.New[numberValue](a)
	v.n = n
	return v
}

func ofBoolean(is bool) value {
	if is {
		return yes
	}
	return no
}

// The following functions implement 64-bit arithmetic. Their result fits reports whether the number
// is exact.

func plus(a, b int64) (sum int64, fits bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

func minus(a, b int64) (difference int64, fits bool) {
	difference = a - b
	return difference, (difference < a) == (b > 0)
}

func times(a, b int64) (product int64, fits bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	// The signed high word: each negative factor added 2^64 times the other factor to the product.
	signed := int64(high) - (a>>63)&b - (b>>63)&a
	product = int64(low)
	return product, signed == product>>63
}
