package fix

import "testing"

// TestWithToolchain verifies that the toolchain line of a go.mod is added or replaced, and that
// everything else is preserved, including comments.
func TestWithToolchain(t *testing.T) {
	const require = "\n// what it needs\nrequire golang.org/x/sys v0.22.0 // for mmap\n"
	for name, c := range map[string]struct{ old, want string }{
		"none":    {"module m\n\ngo 1.24\n" + require, "module m\n\ngo 1.24\n\ntoolchain go1.27.4\n" + require},
		"older":   {"module m\n\ngo 1.24.0\n\ntoolchain go1.26.8\n" + require, "module m\n\ngo 1.24.0\n\ntoolchain go1.27.4\n" + require},
		"default": {"module m\n\ngo 1.24.0\n\ntoolchain default\n" + require, "module m\n\ngo 1.24.0\n\ntoolchain go1.27.4\n" + require},
		"no go":   {"module m\n", "module m\n\ntoolchain go1.27.4\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := withToolchain("go.mod", []byte(c.old), "go1.27.4")
			if err != nil || string(got) != c.want {
				t.Errorf("it is\n%s%v; want\n%s", got, err, c.want)
			}
		})
	}
	if _, err := withToolchain("go.mod", []byte("module"), "go1.27.4"); err == nil {
		t.Error("a broken go.mod is no error")
	}
}
