package sheet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// source draws an expression of any type, which may be invalid.
func source(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"0", "1", "7", "9223372036854775807", "true", "false", `"x"`, `"a\n\"b"`, "a", "b", "x", "[]", "{}", `"p1"`}).Draw(t, "leaf")
	}
	sub := func() string { return source(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) }
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return "(" + rapid.SampledFrom([]string{"-", "not "}).Draw(t, "operator") + sub() + ")"
	case 1:
		return "(if " + sub() + " then " + sub() + " else " + sub() + ")"
	case 2:
		return "[" + sub() + ", " + sub() + ", " + sub() + "]"
	case 3:
		return "[for x in " + sub() + " where " + sub() + " yield " + sub() + "]"
	case 4:
		return "[for x in [" + sub() + ", " + sub() + "] yield " + sub() + "]"
	case 5:
		return "{k: " + sub() + ", l: " + sub() + "}." + rapid.SampledFrom([]string{"k", "l", "m"}).Draw(t, "field")
	case 6:
		return sub() + "[" + sub() + "]"
	case 7:
		return rapid.SampledFrom(strings.Fields(functionNames)).Draw(t, "function") + "(" + sub() + ")"
	case 8:
		return "join([" + sub() + ", " + sub() + "], " + sub() + ")"
	default:
		operator := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"}).Draw(t, "operator")
		return "(" + sub() + " " + operator + " " + sub() + ")"
	}
}

// sheetsAgree draws a sheet and requires that it gives the same result with the Go heap and with an
// arena: either an answer in JSON or a one-line error.
func sheetsAgree(t *rapid.T) {
	var b strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "%s %s = %s;\n", rapid.SampledFrom([]string{"let", "show"}).Draw(t, "how"), name, source(t, rapid.IntRange(0, 5).Draw(t, "depth")))
	}
	wellFormed(t, b.String())
}

func wellFormed(t interface{ Fatalf(string, ...any) }, sheet string) {
	got, err := both(t, sheet)
	var mistake *Error
	switch {
	case err == nil && !json.Valid([]byte(got)):
		t.Fatalf("%q gives %q, which is no JSON", sheet, got)
	case err != nil && (!errors.As(err, &mistake) || strings.Contains(err.Error(), "\n") || mistake.Line < 1 || mistake.Column < 1):
		t.Fatalf("%q gives the error %q", sheet, err)
	}
}

func TestRandomSheets(t *testing.T) { random.Check(t, sheetsAgree) }

func FuzzRandomSheets(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sheetsAgree)) }

// FuzzSheet parses and evaluates arbitrary strings.
func FuzzSheet(f *testing.F) {
	f.Add(string(corpus.New(3).Source[:1500]))
	f.Add(`title "t"; let a = [for x in [1, 2] where x > 1 yield {k: x, l: "\n"}]; show b = a[0].k + sum([1]) % 2;`)
	f.Add(`show a = if not true or 1 <= 2 then join(["a", upper("b")], text(-1)) else price("p1"); # end`)
	f.Fuzz(func(t *testing.T, sheet string) { wellFormed(t, sheet) })
}

// arithmetic draws an arithmetic expression and computes its value with unlimited precision. ok is
// false if any intermediate result does not fit 64 bits or if a divisor is zero.
func arithmetic(t *rapid.T, depth int) (text string, n *big.Int, ok bool) {
	if depth == 0 {
		v := rapid.OneOf(rapid.Int64Range(0, 10), rapid.Int64Range(0, 1<<33), rapid.Int64Min(0)).Draw(t, "number")
		return fmt.Sprint(v), big.NewInt(v), true
	}
	operator := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "negative"}).Draw(t, "operator")
	left, a, ok := arithmetic(t, rapid.IntRange(0, depth-1).Draw(t, "depth"))
	if operator == "negative" {
		a = new(big.Int).Neg(a)
		return "(-" + left + ")", a, ok && a.IsInt64()
	}
	right, b, also := arithmetic(t, rapid.IntRange(0, depth-1).Draw(t, "depth"))
	ok = ok && also
	n = new(big.Int)
	switch operator {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		n.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return "(" + left + operator + right + ")", n, false
		}
		if operator == "/" {
			n.Quo(a, b)
		} else {
			n.Rem(a, b)
		}
	}
	return "(" + left + operator + right + ")", n, ok && n.IsInt64()
}

func TestArithmeticIsExact(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		text, want, ok := arithmetic(t, rapid.IntRange(1, 4).Draw(t, "depth"))
		got, err := answer(nil, "show n = "+text+";")
		if ok != (err == nil) || ok && got != fmt.Sprintf("{\"n\":%v}\n", want) {
			t.Fatalf("%s = %q, %v, want %v, %v", text, got, err, want, ok)
		}
	})
}
