package page

import "testing"

// Names in backquotes are code, whatever else is in a text.
func TestProse(t *testing.T) {
	if got, want := Prose("`a<b>` & c"), "<code>a&lt;b&gt;</code> &amp; c"; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A percent sign stands with its number.
func TestCell(t *testing.T) {
	if got, want := cell("2.97 x ± 6 %, workers 1"), "2.97 x ±\u00a06\u00a0%, workers 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A long heading may break behind its slash, and is escaped.
func TestBreaks(t *testing.T) {
	if got, want := Breaks("<x>/request, KiB/s"), "&lt;x&gt;/<wbr>request, KiB/s"; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
