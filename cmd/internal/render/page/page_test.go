package page

import "testing"

// Prose sets names in backquotes as code, and escapes the whole text.
func TestProse(t *testing.T) {
	if got, want := Prose("`a<b>` & c"), "<code>a&lt;b&gt;</code> &amp; c"; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A line never breaks between a number and its percent sign.
func TestCell(t *testing.T) {
	if got, want := cell("2.97 x ± 6 %, workers 1"), "2.97 x ±\u00a06\u00a0%, workers 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A long heading may break after a slash. It is also escaped.
func TestBreaks(t *testing.T) {
	if got, want := Breaks("<x>/request, KiB/s"), "&lt;x&gt;/<wbr>request, KiB/s"; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
