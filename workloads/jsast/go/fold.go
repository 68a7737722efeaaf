package main

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// Literals with more than mostDigits digits are not folded, so that no product overflows. Not
// all integers from mostExact on are exact in JavaScript.
const (
	mostDigits = 9
	mostExact  = 1 << 53
)

// fold returns the text of the literal that replaces two literals and an operator, if they can
// be folded: strings without escapes in the same quotes, or integers whose result is a
// non-negative integer.
func fold(op, tx, ty js.TokenType, x, y string) (string, bool) {
	switch {
	case tx != ty:
		return "", false
	case tx == js.StringToken:
		ok := op == js.AddToken && x[0] == y[0] && !strings.Contains(x, `\`)
		return x[:len(x)-1] + y[1:], ok
	case tx != js.IntegerToken || len(x) > mostDigits || len(y) > mostDigits || isOctal(x) || isOctal(y):
		return "", false
	}
	a, errA := strconv.ParseInt(x, 10, 64)
	b, errB := strconv.ParseInt(y, 10, 64)
	switch op {
	case js.AddToken:
		a += b
	case js.SubToken:
		a -= b
	case js.MulToken:
		a *= b
	default:
		return "", false
	}
	return strconv.FormatInt(a, 10), errA == nil && errB == nil && a >= 0 && a < mostExact
}

// isOctal reports whether an integer has a leading zero, which may make it octal.
func isOctal(x string) bool { return len(x) > 1 && x[0] == '0' }
