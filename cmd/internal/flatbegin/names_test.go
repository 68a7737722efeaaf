package flatbegin

import "testing"

func TestImportable(t *testing.T) {
	for _, c := range []struct {
		path, from string
		want       bool
	}{
		{"example.com/a", "example.org/b", true},
		{"example.com/a/internal/x", "example.com/a/y", true},
		{"example.com/a/internal/x", "example.com/a", true},
		{"example.com/a/internal/x", "example.com/ab", false},
		{"example.com/a/internal/b/internal/x", "example.com/a/y", false},
		{"internal/abi", "example.com/a", false},
		{"example.com/internals", "example.org/b", true},
	} {
		if got := importable(c.path, c.from); got != c.want {
			t.Errorf("importable(%q, %q) is %v", c.path, c.from, got)
		}
	}
}

// Profile samples in a function literal are attributed to the enclosing function.
func TestInnerNames(t *testing.T) {
	for name, want := range map[string]string{
		"m.Walk":                  "m.Walk",
		"m.Walk.func1":            "m.Walk",
		"m.Walk.func1.2":          "m.Walk",
		"m.(*T).Walk.func3":       "m.(*T).Walk",
		"m.Walk-range1":           "m.Walk",
		"m.Walk.func2-range1":     "m.Walk",
		"m.Map[...].func1":        "m.Map",
		"m.(*T[...]).Walk":        "m.(*T).Walk",
		"m/v2.Walk":               "m/v2.Walk",
		"gopkg.in/yaml%2ev3.Walk": "gopkg.in/yaml%2ev3.Walk",
	} {
		if got := inner.ReplaceAllString(name, ""); got != want {
			t.Errorf("%s is in %s, want %s", name, got, want)
		}
	}
}
