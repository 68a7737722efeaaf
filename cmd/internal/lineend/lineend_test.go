package lineend

import "testing"

func TestLike(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{"", "a\nb\n", "a\nb\n"}, {"x\n", "a\r\nb\n", "a\nb\n"}, {"x\r\n", "a\nb\r\n", "a\r\nb\r\n"}, {"x\r\ny\nz\r\n", "a\n", "a\r\n"},
		{"x\r\ny\nz\n", "a\r\n", "a\n"}, {"x\r\n", "a\rb", "a\rb"}, {"x", "a\r\n", "a\n"},
	} {
		if got := string(Like([]byte(c.old), []byte(c.text))); got != c.want {
			t.Errorf("%q like %q is %q, want %q", c.text, c.old, got, c.want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"a\r\nb\n", "a\nb\r\n", true}, {"a\n", "a", false}, {"a\r", "a", false}, {"", "", true}} {
		if got := Equal([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%q and %q: %t", c.a, c.b, got)
		}
	}
}
