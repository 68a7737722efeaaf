package builds

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestReordered verifies that Check refuses an edit that adds or removes an import if two packages
// whose initialization has effects would be initialized in another order. It also refuses an edit
// that may remove an import, because the import may be unused afterwards.
func TestReordered(t *testing.T) {
	const (
		plain   = "package m\n\nfunc F() int { return 1 }\n"
		with    = "package m\n\nimport \"slices\"\n\nfunc F() int { return len(slices.Clone([]int{1})) }\n"
		program = "package main\n\nimport (\n\t\"example.com/m/a\"\n\t\"example.com/m/m\"\n\t_ \"example.com/m/z\"\n)\n\nfunc main() { _, _ = m.F(), a.X }\n"
	)
	for name, c := range map[string]struct {
		m, a, z string // the source of the packages; the path of z sorts after the path of m
		after   string
		unused  []string
		want    string // part of the error, which names the packages that swap; "" for no error
	}{
		"calls":                            {plain + "var x = f()\n\nfunc f() int { return 1 }\n", "", "var x = f()\n\nfunc f() int { return 1 }\n", with, nil, "z would be initialized before example.com/m/m"},
		"init":                             {plain + "func init() { F() }\n", "", "func init() { println() }\n", with, nil, "z would be initialized before example.com/m/m"},
		"empty init":                       {plain + "func init() { F() }\n", "", "func init() {}\n", with, nil, ""},
		"one alone":                        {plain, "", "func init() { println() }\n", with, nil, ""},
		"before":                           {plain + "func init() { F() }\n", "func init() { println() }\n", "", with, nil, ""},
		"conversion":                       {plain + "func init() { F() }\n", "", "type number int\n\nvar x, y = number(1), []byte(\"a\")\n", with, nil, ""},
		"literal":                          {plain + "func init() { F() }\n", "", "var x = func() int { return f() }\n\nfunc f() int { return 1 }\n", with, nil, ""},
		"a pure function":                  {plain + "func init() { F() }\n", "", "import \"errors\"\n\nvar x = errors.New(\"x\")\n", with, nil, ""},
		"a variable":                       {plain + "func init() { F() }\n", "var X = 1\n", "import \"example.com/m/a\"\n\nvar x = a.X\n", with, nil, "z would be initialized before example.com/m/m"},
		"a constant":                       {plain + "func init() { F() }\n", "const X = 1\n", "import \"example.com/m/a\"\n\nvar x = a.X\n", with, nil, ""},
		"a builtin of the package":         {plain + "func init() { F() }\n", "", "func len(x int) int { return x }\n\nvar x = len(1)\n", with, nil, "z would be initialized before example.com/m/m"},
		"math, and a map":                  {plain + "func init() { F() }\n", "func init() { println() }\n", "import \"math\"\n\nvar x = map[string]float64{\"\": math.Pi}\n", with, nil, ""},
		"dropped":                          {with + "func init() { F() }\n", "", "func init() { println() }\n", plain, nil, "m would be initialized before example.com/m/z"},
		"may be dropped":                   {with + "func init() { F() }\n", "", "func init() { println() }\n", with, []string{"slices"}, "m would be initialized before example.com/m/z"},
		"an error of the standard library": {plain + "func init() { F() }\n", "", "import \"errors\"\n\nvar x = errors.ErrUnsupported\n", with, nil, ""},
		"one that is set":                  {plain + "func init() { F() }\n", "import \"errors\"\n\nfunc Set() { errors.ErrUnsupported = nil }\n", "import \"errors\"\n\nvar x = errors.ErrUnsupported\n", with, nil, "z would be initialized before example.com/m/m"},
		"one that is set by its address":   {plain + "func init() { F() }\n", "import \"errors\"\n\nfunc End() *error { return &errors.ErrUnsupported }\n", "import \"errors\"\n\nvar x = errors.ErrUnsupported\n", with, nil, "z would be initialized before example.com/m/m"},
		"one that is set by its name":      {plain + "func init() { F() }\n", "import _ \"unsafe\"\n\n//go:linkname end errors.ErrUnsupported\nvar end error\n", "import \"errors\"\n\nvar x = errors.ErrUnsupported\n", with, nil, "z would be initialized before example.com/m/m"},
		"a variable of its own":            {plain + "func init() { F() }\n", "", "var level int\n\nvar x = level\n", with, nil, ""},
		"one that is set by a name for the linker": {plain + "func init() { F() }\n", "import _ \"unsafe\"\n\n//go:linkname level example.com/m/z.level\nvar level int\n", "var level int\n\nvar x = level\n", with, nil, "z would be initialized before example.com/m/m"},
		"a function with a name of its own":        {plain + "func init() { F() }\n", "", "import _ \"unsafe\"\n\nvar level int\n\nvar x = level\n\n//go:linkname set\nfunc set() { level = 1 }\n", with, nil, "z would be initialized before example.com/m/m"},
		"may be kept":                              {with + "func init() { F() }\n", "", "func init() { println() }\n", with, []string{"strings"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.a
			if !strings.Contains(a, " X ") {
				a += "\nvar X = 1\n"
			}
			folder := newModule(t, map[string]string{"m/m.go": c.m, "a/a.go": "package a\n\n" + a, "z/z.go": "package z\n\n" + c.z, "main.go": program})
			file := filepath.Join(folder, "m", "m.go")
			after := c.after + strings.TrimPrefix(strings.TrimPrefix(c.m, plain), with)
			_, err := mustLoad(t, folder, "example.com/m/m").Check(t.Context(), map[string][]byte{file: []byte(after)}, map[string][]string{file: c.unused})
			var reordered *Reordered
			switch errors.As(err, &reordered); {
			case err != nil && reordered == nil:
				t.Fatal(err)
			case (c.want != "") != (err != nil) || err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestBySymbol verifies that packages are sorted by the names of their symbols, as in the linker.
// The linker escapes some characters of an import path, so this order differs from the order of the
// paths.
func TestBySymbol(t *testing.T) {
	sorted := []string{"m.org/a/p.v2", "m.org/a/p-q", "m.org/a/p", "m.org/a/p/q", "m.org/a/pq", "m.org/b.c/d", "m.org/b/\u00e9"}
	for i, path := range sorted[1:] {
		if bySymbol(sorted[i], path) >= 0 {
			t.Errorf("%s is not before %s", symbolOf(sorted[i]), symbolOf(path))
		}
	}
}

// TestConstraint verifies that the constraint for a new file includes it in every build that
// includes another file of its package.
func TestConstraint(t *testing.T) {
	const clause = "package m\n"
	for name, c := range map[string]struct {
		files []string // pairs of a file name and the text before the package clause
		want  string
	}{
		"none":        {[]string{"a.go", "", "b_linux.go", ""}, ""},
		"by name":     {[]string{"a_linux.go", "", "b_linux.go", "", "b_test.go", ""}, "linux"},
		"processor":   {[]string{"a_linux_arm64.go", ""}, "linux && arm64"},
		"two":         {[]string{"a_linux.go", "", "b.go", "//go:build windows && !x\n\n"}, "linux || (windows && !x)"},
		"both":        {[]string{"a_linux.go", "//go:build x || y\n\n"}, "(x || y) && linux"},
		"old form":    {[]string{"a.go", "// +build x\n// +build y\n\n"}, "x && y"},
		"both forms":  {[]string{"a.go", "//go:build x\n// +build x\n\n"}, "x"},
		"ignored":     {[]string{"a_linux.go", "", "b.go", "//go:build ignore\n\n"}, "linux"},
		"left out":    {[]string{"a_linux.go", "", "ours.go", ""}, "linux"},
		"no system":   {[]string{"linux.go", ""}, ""},
		"cgo":         {[]string{"a.go", "cgo"}, "cgo"},
		"one for all": {[]string{"a.go", "//go:build linux\n\n", "b.go", "//go:build linux\n\n"}, "linux"},
	} {
		files := map[string]string{}
		for i := 0; i < len(c.files); i += 2 {
			text := c.files[i+1] + clause
			if c.files[i+1] == "cgo" {
				text = clause + "\nimport \"C\"\n"
			}
			files[c.files[i]] = text
		}
		s := mustLoad(t, newModule(t, files), "example.com/m")
		if got := s.Constraint("example.com/m", func(name string) bool { return filepath.Base(name) == "ours.go" }); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got, known := s.ConstraintOf("example.com/m", "/elsewhere/"+c.files[0]); len(c.files) == 2 && (got != c.want || !known) {
			t.Errorf("%s: the file alone has %q, known: %v, want %q", name, got, known, c.want)
		}
		if _, known := s.ConstraintOf("example.com/m", "other.go"); known {
			t.Errorf("%s: the constraint of a file that does not exist is known", name)
		}
		if _, known := s.ConstraintOf("example.com/other", c.files[0]); known {
			t.Errorf("%s: the constraint of a file of another package is known", name)
		}
	}
}
