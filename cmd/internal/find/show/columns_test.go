package show

import (
	"slices"
	"testing"
)

func TestWordsOfCommands(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		"a  b ":              {"a", "b"},
		`a 'b c' "d e" f\ g`: {"a", "'b c'", `"d e"`, `f\ g`},
		`'a\' b "c\" d" e`:   {`'a\'`, "b", `"c\" d"`, "e"},
		`'it'\''s one' word`: {`'it'\''s one'`, "word"},
		`'never ends here`:   {`'never ends here`},
	} {
		if got := words(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		text  string
		align alignment
		n     int
		want  string
	}{
		{"abc", left, 5, "abc  "},
		{"abc", right, 5, "  abc"},
		{"abcdef", left, 4, "abc…"},
		{"abcdef", tail, 4, "…def"},
		{"世界世界", left, 6, "世界… "},
		{"世界世界", tail, 6, "…世界 "},
		{"12345", right, 3, "12345"},
	} {
		if got := cell(c.text, c.align, c.n); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
