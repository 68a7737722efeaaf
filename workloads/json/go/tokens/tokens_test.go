package tokens

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// sources returns the two token sources. Each of them is used for many texts.
func sources() map[string]Source {
	return map[string]Source{"jsontext": &Fast{}, "encoding/json": &Standard{}}
}

// list returns all tokens of the text on one line, followed by "error" if there is one.
func list(s Source, text string) string {
	var all []string
	s.Start([]byte(text))
	for {
		t, err := s.Next()
		switch {
		case err != nil:
			return strings.Join(append(all, "error"), " ")
		case t.Kind == End:
			return strings.Join(all, " ")
		case t.Kind == String:
			all = append(all, fmt.Sprintf("%q", t.Text))
		case t.Kind == Number:
			all = append(all, strconv.FormatFloat(t.Value, 'g', -1, 64))
		default:
			all = append(all, string(t.Kind))
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		` {"a": [1, -0, 2.50e1], "b" : {}} `: `{ "a" [ 1 -0 25 ] "b" { } }`,
		`[null,true,false,""]`:               `[ n t f "" ]`,
		`"\u00e9\n\ud83d\ude00"`:             `"é\n😀"`,
		`"\ud800x"`:                          `"�x"`,
		"\"\xffx\"":                          `"�x"`,
		`123456789012345678`:                 `1.2345678901234568e+17`,
		`1e999`:                              `error`,
		`[1e999]`:                            `[ error`,
		``:                                   `error`,
		`{"a"}`:                              `{ "a" error`,
		`[1`:                                 `[ 1 error`,
		`[1}`:                                `[ 1 error`,
		`1 2`:                                `1 error`,
		`[] ]`:                               `[ ] error`,
		`"a`:                                 `error`,
		`{1:2}`:                              `{ error`,
	} {
		for name, s := range sources() {
			if got := list(s, text); got != want {
				t.Errorf("%q, %s: %s, want %s", text, name, got, want)
			}
		}
	}
}

// TestEndStays verifies that after the end or an error, Next keeps returning the same result until
// Start is called.
func TestEndStays(t *testing.T) {
	for name, s := range sources() {
		for _, text := range []string{"1", "1 2", "[", "]"} {
			list(s, text)
			before := list(s, text)
			_, first := s.Next()
			_, second := s.Next()
			if (first == nil) != (second == nil) || (first == nil) != !strings.Contains(before, "error") {
				t.Errorf("%s, %q: %v, then %v, then %v", name, text, before, first, second)
			}
		}
		if got := list(s, "[2]"); got != "[ 2 ]" {
			t.Errorf("%s after an error: %s", name, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "1", "-1", "999999999999999", "-999999999999999", "1000000000000000", "0.1", "1e22", "1e23",
		"5e-324", "2e-324", "1e-500", "1.7976931348623157e308", "9007199254740993", "0.000000000000000000000000000001",
	} {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := number([]byte(text)); err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	if _, err := number([]byte("-2e308")); err == nil || err.Error() != "number -2e308 is beyond float64" {
		t.Errorf("error %v", err)
	}
}

// TestFastAllocatesNothing verifies the number of allocations that spec.md and the comments on Fast
// promise.
func TestFastAllocatesNothing(t *testing.T) {
	text := []byte(`{"key":[1,2.5,null,true,"a longer string, of more than thirty-two bytes"],"other":"\u00e9"}`)
	s := &Fast{}
	read := func() {
		s.Start(text)
		for {
			if token, err := s.Next(); err != nil || token.Kind == End {
				return
			}
		}
	}
	// Start makes a reader of the text and the reader's options.
	if got := testing.AllocsPerRun(100, read); got > 4 {
		t.Errorf("%v allocations", got)
	}
}
