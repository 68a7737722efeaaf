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
		if got := splitWords(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		text    string
		align   alignment
		n       int
		cut     string
		wrapped []string
	}{
		{"abc", left, 5, "abc", []string{"abc"}},
		{"abc", right, 5, "abc", []string{"abc"}},
		{"abcdef", left, 4, "abc…", []string{"abcd", "ef"}},
		{"abcdef", tail, 4, "…def", []string{"abcd", "ef"}},
		{"世界世界", left, 6, "世界…", []string{"世界世", "界"}},
		{"世界世界", tail, 6, "…世界", []string{"世界世", "界"}},
		{"a.go:1 <- b.go:2", tail, 12, "…1 <- b.go:2", []string{"a.go:1 <-", "b.go:2"}},
	} {
		if got := newScreen(80).cell(c.text, c.align, c.n); !slices.Equal(got, []string{c.cut}) {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.n, got, c.cut)
		}
		if got := newScreen(0).cell(c.text, c.align, c.n); !slices.Equal(got, c.wrapped) {
			t.Errorf("%q in %d columns of a file is %q, want %q", c.text, c.n, got, c.wrapped)
		}
	}
}

func TestWidthOfScreens(t *testing.T) {
	for columns, want := range map[int]int{0: 100, 20: 40, 60: 60, 100: 100, 250: 100} {
		if s := newScreen(columns); s.width != want || s.wrap != (columns == 0) {
			t.Errorf("with %d columns the width is %d and wrap is %v, want %d", columns, s.width, s.wrap, want)
		}
	}
}

// TestTables verifies that cells are truncated on a terminal and not in a file, and that numbers
// are never truncated.
func TestTables(t *testing.T) {
	columns := []column{{"site", tail, 20, 10}, {"saves", right, 0, 10}, {"part", right, 0, 0}, {"do", left, 9, 6}}
	rows := [][]string{{"folder/with/a/long/name.go:12", "not measurable here", "100.0 %", "avoid the copy"}, {"b.go:3", "14.2 %", "1.0 %", "slab"}}
	for name, c := range map[string]struct {
		on   *screen
		want string
	}{
		"wide": {&screen{width: 80}, `
site                                         saves     part  do
folder/with/a/long/name.go:12  not measurable here  100.0 %  avoid the copy
b.go:3                                      14.2 %    1.0 %  slab
`},
		"cut": {&screen{width: 60}, `
site                               saves     part  do
…/a/long/name.go:12  not measurable here  100.0 %  avoid th…
b.go:3                            14.2 %    1.0 %  slab
`},
		"narrow": {&screen{width: 45}, `
site                   saves     part  do
…ame.go:12    not measurable  100.0 %  avoid…
                        here
b.go:3                14.2 %    1.0 %  slab
`},
		"file": {&screen{width: 70, wrap: true}, `
site                                         saves     part  do
folder/with/a/long/name.go:12  not measurable here  100.0 %  avoid the
                                                             copy
b.go:3                                      14.2 %    1.0 %  slab
`},
		"narrow file": {&screen{width: 45, wrap: true}, `
site                   saves     part  do
folder/wit    not measurable  100.0 %  avoid
h/a/long/n              here           the
ame.go:12                              copy
b.go:3                14.2 %    1.0 %  slab
`},
	} {
		c.on.table(columns, rows)
		if got := "\n" + c.on.String(); got != c.want {
			t.Errorf("%s: it is\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
