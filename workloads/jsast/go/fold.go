package main

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// Literals with more digits are not folded, so that no product overflows; numbers from mostExact on
// are not exact in JavaScript.
const (
	mostDigits = 9
	mostExact  = 1 << 53
)

// fold returns the text of the literal that two literals and an operator make, if they make one:
// strings without escapes in equal quotes, or integers whose result is an integer too and not
// negative.
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

// isOctal reports whether a number means another one than its digits say.
func isOctal(x string) bool { return len(x) > 1 && x[0] == '0' }
