package vetrun

import (
	"cmp"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Trouble describes a package of the plan that was not analyzed.
type Trouble struct {
	Package  string    // import path of the package
	Tests    bool      // only its test files were not analyzed
	Imports  string    // the imported package that is the cause; "" if it is the package itself
	Mistakes []Mistake // errors of the cause, from the compiler and the go command
}

// A Mistake is an error that prevents compiling a package.
type Mistake struct {
	Position token.Position // may be unknown
	Text     string         // the error in one line
}

// String formats the mistake like a compiler.
func (m Mistake) String() string {
	if m.Position.Filename == "" {
		return m.Text
	}
	return m.Position.String() + ": " + m.Text
}

// listed returns the errors that the go command has listed for a unit, or the trouble of a unit
// that it imports. It returns nil if there are none.
func (u *unit) listed() *Trouble {
	if len(u.Errors) > 0 {
		t := &Trouble{Package: u.PkgPath}
		for _, e := range u.Errors {
			t.Mistakes = append(t.Mistakes, Mistake{Position: positionOf(e), Text: oneLine(e.Msg)})
		}
		return t
	}
	for _, path := range slices.Sorted(maps.Keys(u.imports)) {
		if t := u.imports[path].trouble; t != nil {
			return &Trouble{Package: u.PkgPath, Imports: cmp.Or(t.Imports, t.Package), Mistakes: t.Mistakes}
		}
	}
	return nil
}

// troubles returns the troubles of the roots, at most one for each package. File names are
// absolute.
func troubles(dir string, roots []*unit) (all []Trouble) {
	looked := map[string]bool{}
	for _, u := range roots {
		looked[u.PkgPath] = looked[u.PkgPath] || u.trouble == nil
	}
	byPath := map[string]Trouble{}
	for _, u := range roots { // a package without tests follows the same package with tests, and its trouble takes precedence
		if u.trouble == nil {
			continue
		}
		t := *u.trouble
		t.Tests = looked[u.PkgPath]
		t.Mistakes = slices.Clone(t.Mistakes)
		for i, m := range t.Mistakes {
			if name := m.Position.Filename; name != "" && !filepath.IsAbs(name) {
				t.Mistakes[i].Position.Filename = filepath.Join(dir, name)
			}
		}
		byPath[u.PkgPath] = t
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		all = append(all, byPath[path])
	}
	return all
}

// positionOf parses the position of an error, which is file:line:col or a prefix of it.
func positionOf(e packages.Error) (p token.Position) {
	if e.Pos == "" || e.Pos == "-" {
		return p
	}
	var numbers []int
	rest := e.Pos
	for len(numbers) < 2 {
		i := strings.LastIndexByte(rest, ':')
		n, err := strconv.Atoi(rest[i+1:])
		if i < 0 || err != nil {
			break
		}
		rest, numbers = rest[:i], append([]int{n}, numbers...)
	}
	p.Filename = rest
	if len(numbers) > 0 {
		p.Line = numbers[0]
	}
	if len(numbers) > 1 {
		p.Column = numbers[1]
	}
	return p
}
