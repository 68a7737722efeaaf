package experiment

import "testing"

// TestFill verifies that {word} is replaced if the word is known, that {{word}} yields {word}, and
// that other braces are left alone.
func TestFill(t *testing.T) {
	values := map[string]string{Bin: "/b{depth}", Depth: "7"}
	for word, want := range map[string]string{
		"{bin}/x-{depth}": "/b{depth}/x-7",
		"{{bin}}":         "{bin}",
		"{{{depth}}}":     "{{depth}}",
		"${{HOME}}":       "${HOME}",
		"{{.Dir}}":        "{{.Dir}}",
		"{print $1}":      "{print $1}",
		"x{3}{a,b}{}{":    "x{3}{a,b}{}{",
		"{other}":         "{other}",
		"{depth":          "{depth",
		"":                "",
	} {
		if got := Fill(word, values); got != want {
			t.Errorf("%q became %q, want %q", word, got, want)
		}
	}
	if !Uses([]string{"a", "-d={depth}"}, Depth) || Uses([]string{"{{depth}}", "depth"}, Depth) {
		t.Error("{depth} is used, and {{depth}} is not")
	}
}
