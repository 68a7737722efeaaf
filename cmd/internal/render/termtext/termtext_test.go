package termtext

import (
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "µs": 2, "测试": 4, "ｱ": 1, "e\u0301": 1, "👩‍👩‍👧": 2, "🇩🇪": 2, "한글": 4, "±∞": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
		if left, right := Left(text, 6), Right(text, 6); Width(left) != 6 || Width(right) != 6 || strings.TrimSpace(left) != text || strings.TrimSpace(right) != text {
			t.Errorf("%q became %q and %q", text, left, right)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcd", 4, "abcd"}, {"abcd", 3, "ab…"}, {"测试测", 5, "测试…"}, {"测试测", 4, "测…"}, {"e\u0301e\u0301e", 2, "e\u0301…"}, {"👩‍👩‍👧a", 2, "…"}, {"abc", 1, "…"},
	} {
		if got := Cut(test.text, test.width); got != test.want {
			t.Errorf("%q in %d columns is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a \"b\"": `a "b"`, "a\nb\tc": "a b c", "\x1b[31mred": "\ufffd[31mred", "a\u202eb": "a\ufffdb", "a\xffb": "a\ufffdb", "é 测": "é 测",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestRightTable(t *testing.T) {
	var out Screen
	out.RightTable([][]string{{"", "base", "  proof"}, {"测试", "", "  KEEP"}, {"CPU", "1 µs", "  Holm"}})
	if want := "        base  proof\n  测试        KEEP\n   CPU  1 µs  Holm\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
