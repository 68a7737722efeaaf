// Package tokens reads JSON text token by token, with the tokenizers of two packages that accept
// the same texts as encoding/json.Unmarshal.
//
// Invalid UTF-8 and unpaired surrogates become U+FFFD. A number is the nearest float64; a
// number out of range is an error. Values may be nested 10,000 deep.
package tokens

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Kind is the kind of a token: the first byte of its text, except for numbers.
type Kind byte

// The kinds. Commas and colons are not tokens.
const (
	End         Kind = 0
	Null        Kind = 'n'
	False       Kind = 'f'
	True        Kind = 't'
	Number      Kind = '0'
	String      Kind = '"' // a string value or a key
	BeginObject Kind = '{'
	EndObject   Kind = '}'
	BeginArray  Kind = '['
	EndArray    Kind = ']'
)

// A Token is one token.
type Token struct {
	Kind  Kind
	Text  []byte  // decoded string; valid until the next token is read
	Value float64 // value of a number
}

// A Source yields the tokens of a text.
type Source interface {
	Start(text []byte)    // begins a new text, and clears an error
	Next() (Token, error) // returns End after the end, and the same error after an error
}

// greatestDepth is the depth limit of encoding/json.Unmarshal.
const greatestDepth = 10_000

var (
	errDepth = fmt.Errorf("values are nested more than %d deep", greatestDepth)
	errMore  = errors.New("there is more after the value")
)

// number returns the value of a valid JSON number.
func number(text []byte) (float64, error) {
	if v, ok := small(text); ok {
		return v, nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0) {
		return 0, fmt.Errorf("number %.20s is beyond float64", text)
	}
	return v, nil
}

// small returns the value of a whole number that has at most 15 digits, which is exact.
func small(text []byte) (float64, bool) {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > 15 {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(text) {
		return -float64(n), true // negates the float, because only a float can be -0
	}
	return float64(n), true
}
