package nearest

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	all := []string{"lab", "find", "fix", "flat"}
	for _, c := range []struct {
		name string
		most int
		want []string
	}{
		{"fnd", 1, []string{"find"}},
		{"fit", 2, []string{"fix", "find"}},
		{"bal", 9, []string{"lab", "fix", "flat", "find"}},
		{"x", 0, []string{}},
	} {
		if got := Names(c.name, all, c.most); !slices.Equal(got, c.want) {
			t.Errorf("Names(%q, %d) = %q, want %q", c.name, c.most, got, c.want)
		}
	}
	if all[0] != "lab" {
		t.Error("Names has sorted what it was given")
	}
}

// TestHint verifies that a name that resembles none of the others yields no hint, because a wrong
// hint would be misleading.
func TestHint(t *testing.T) {
	all := []string{"find", "prove", "toolchains"}
	for name, want := range map[string]string{
		"fnd": "did you mean find? ", "prvoe": "did you mean prove? ", "toolchian": "did you mean toolchains? ",
		"nonsense": "", "zq": "", "fast": "", "": "",
	} {
		if got := Hint(name, all); got != want {
			t.Errorf("Hint(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Hint("find", nil); got != "" {
		t.Errorf("of no names: %q", got)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"rnu", "run", 1}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
