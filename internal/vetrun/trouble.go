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

// A Trouble is a package of the plan that was not looked at.
type Trouble struct {
	Package  string    // its import path
	Tests    bool      // only its test files were not looked at
	Imports  string    // a package that it imports and that is the reason; "" if the package itself is
	Mistakes []Mistake // of the package itself, as the compiler and the go command put it
}

// A Mistake is something that keeps a package from being compiled.
type Mistake struct {
	Position token.Position // may be unknown
	Text     string         // one line
}

// String is the mistake as a compiler says it.
func (m Mistake) String() string {
	if m.Position.Filename == "" {
		return m.Text
	}
	return m.Position.String() + ": " + m.Text
}

// listed returns what the go command found wrong with a unit, or what is wrong with the
// units that it imports; nil if that is nothing.
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

// troubles returns those of roots, each package once, with absolute names of files.
func troubles(dir string, roots []*unit) (all []Trouble) {
	looked := map[string]bool{}
	for _, u := range roots {
		looked[u.PkgPath] = looked[u.PkgPath] || u.trouble == nil
	}
	byPath := map[string]Trouble{}
	for _, u := range roots { // a package without its tests comes after it with them, and counts
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

// positionOf takes the place of a mistake apart, which is file:line:col or less.
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
