package flatimpl

import (
	"fmt"
	"math/bits"
)

// Fields of the types int and uint have 64 bits in a tree. On a 32-bit machine, a value that does
// not fit is detected when it is read: accessors panic, and ToTree returns an error.

// Int returns v as an int. It panics if v does not fit in an int of this machine.
func Int(v uint64) int {
	if int64(int(v)) != int64(v) {
		panic(tooWide(v))
	}
	return int(v)
}

// Uint returns v as a uint. It panics if v does not fit in a uint of this machine.
func Uint(v uint64) uint {
	if uint64(uint(v)) != v {
		panic(tooWide(v))
	}
	return uint(v)
}

// tooWide is the panic value of Int and Uint. It is the value that does not fit.
type tooWide uint64

// Error describes the value that does not fit.
func (t tooWide) Error() string {
	return fmt.Sprintf("flat: the number %#x in the tree needs 64 bits, and this machine's int and uint have %d", uint64(t), bits.UintSize)
}

// CatchRange recovers a panic of Int or Uint, and sets the error that ToTree returns.
func CatchRange(err *error) {
	switch p := recover().(type) {
	case nil:
	case tooWide:
		*err = fmt.Errorf("%w: %w", ErrRange, p)
	default:
		panic(p)
	}
}
