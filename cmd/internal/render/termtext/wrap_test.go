package termtext

import (
	"slices"
	"testing"
)

func TestProse(t *testing.T) {
	for columns, want := range map[int]int{-1: 0, 0: 0, 1: 40, 40: 40, 72: 72, 100: 100, 250: 100} {
		if got := Prose(columns); got != want {
			t.Errorf("prose on a terminal of %d columns has %d, want %d", columns, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		label, text string
		width       int
		want        string
	}{
		{"warning: ", "one  two\nthree", 0, "warning: one  two\nthree\n"},
		{"warning: ", "one  two", 20, "warning: one  two\n"},
		{"ab: ", "one two three four", 12, "ab: one two\n    three\n    four\n"},
		{"", "abcdefgh ij", 3, "abc\ndef\ngh\nij\n"},
		{"x: ", "one\ntwo", 20, "x: one\n   two\n"},
		{"label  ", "", 20, "label\n"},
		{"a long label: ", "ok", 16, "a long label: ok\n"},
		{"a long label: ", "some words", 16, "a long label:\n  some words\n"},
		{" a long label: ", "some more words", 16, " a long label:\n   some more\n   words\n"},
		{"测: ", "测试 测试", 10, "测: 测试\n    测试\n"},
	} {
		if got := Wrap(test.label, test.text, test.width); got != test.want {
			t.Errorf("%q and %q in %d columns are %q, want %q", test.label, test.text, test.width, got, test.want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"      ", 5, []string{""}},
		{" a  b", 5, []string{" a  b"}},
		{"a b c", 4, []string{"a b", "c"}},
		{"abcdef", 3, []string{"abc", "def"}},
		{"a bcdefg h", 3, []string{"a", "bcd", "efg", "h"}},
		{"a bcdef g", 3, []string{"a", "bcd", "ef", "g"}},
		{"测试测试", 5, []string{"测试", "测试"}},
		{"测试", 1, []string{"测", "试"}},
		{"e\u0301e\u0301", 1, []string{"e\u0301", "e\u0301"}},
	} {
		if got := Lines(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("%q in %d columns is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestCutStart(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcd", 4, "abcd"}, {"abcd", 3, "…cd"}, {"世界世界", 6, "…世界"}, {"世界世", 4, "…世"}, {"ae\u0301e\u0301", 2, "…e\u0301"}, {"abc", 1, "…"},
	} {
		if got := CutStart(test.text, test.width); got != test.want {
			t.Errorf("%q in %d columns is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
