package builds

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Reordered is the error that Check returns for an edit that changes, or may change, the order in
// which two packages of a program are initialized. A package is initialized after all packages that
// it imports. If several packages are ready, the linker picks the one whose symbol sorts first.
// Therefore, adding or removing an import may move the package.
type Reordered struct {
	Config        Config
	Program       string // package ID of the go command: p, or p.test for its tests
	First, Second string // the packages, in their order before the edit
}

// Error names the two packages whose order changes, in one line.
func (r *Reordered) Error() string {
	return fmt.Sprintf("a changed import changes the initialization order of the packages of %s: %s would be initialized before %s (%s)", r.Program, r.Second, r.First, r.Config)
}

// reordered returns an error if the edit would change the order of two packages of a program whose
// initialization has effects. The error names both packages. reordered also checks the order
// without the imports in unused, because another edit may remove their last uses.
//
// The compiler decides which packages take part in the order: it may omit packages without
// initialization work. Therefore, reordered compares the orders of all packages, of the packages
// that may have such work, of the packages that certainly have it, and then of each combination.
func (s *Set) reordered(c Config, before, after *loading, overlay map[string][]byte, unused map[string][]string) *Reordered {
	for _, program := range after.programs {
		old := before.byID[program.ID]
		if old == nil {
			continue
		}
		was := s.program(old, nil, nil)
		was.effects = s.effects(was)
		for _, drops := range []map[string][]string{nil, unused} {
			now := s.program(program, overlay, drops)
			if maps.EqualFunc(was.reached(s.change), now.reached(s.change), maps.Equal) {
				continue
			}
			for _, takesPart := range []func(*packages.Package) bool{
				func(*packages.Package) bool { return true },
				func(p *packages.Package) bool { return s.startOf(p).maybe },
				func(p *packages.Package) bool { return s.startOf(p).surely },
			} {
				if first, second := s.swapped(was.order(takesPart), now.order(takesPart), was); first != "" {
					return &Reordered{c, program.ID, first, second}
				}
			}
			if first, second := s.mixed(was, now); first != "" {
				return &Reordered{c, program.ID, first, second}
			}
		}
	}
	return nil
}

// swapped returns two packages with effects that are in a different order in the lists was and now.
// Packages that are in only one of the lists are ignored.
func (s *Set) swapped(was, now []string, of *program) (first, second string) {
	place := map[string]int{}
	for i, p := range now {
		place[p] = i
	}
	was = slices.DeleteFunc(was, func(path string) bool {
		_, both := place[path]
		return !both || !of.effects[path]
	})
	for i := 1; i < len(was); i++ {
		if place[was[i]] < place[was[i-1]] {
			return was[i-1], was[i]
		}
	}
	return "", ""
}

// mostMixed is the maximum number of undecided packages for which all combinations are tried.
const mostMixed = 8

// mixed returns two packages with effects whose order may change if some of the packages that may
// have initialization work take part in the order and others do not. If there are too many such
// packages to try all combinations, it returns two packages whose order is not guaranteed.
//
// The relative order of a package and its direct and indirect imports does not depend on other
// packages. Hence, two packages that import no changed package keep their order, and only the
// packages that the remaining ones import matter.
func (s *Set) mixed(was, now *program) (first, second string) {
	effects := map[string]bool{}
	for path, effect := range was.effects {
		if effect && now.all[path] != nil {
			effects[path] = true
		}
	}
	before, after := was.reached(effects), now.reached(effects)
	matters := map[string]bool{}
	for _, x := range slices.Sorted(maps.Keys(effects)) {
		if !overlaps(s.change, before[x]) {
			continue
		}
		for _, y := range slices.Sorted(maps.Keys(effects)) {
			if x == y || before[x][y] && after[x][y] || before[y][x] && after[y][x] {
				continue
			}
			first, second = x, y
			for _, reached := range []map[string]bool{before[x], before[y], after[x], after[y]} {
				maps.Copy(matters, reached)
			}
		}
	}
	open := s.open(was, now, matters)
	if len(open) > mostMixed {
		return first, second
	}
	surely := map[*packages.Package]bool{}
	for _, g := range []*program{was, now} {
		for _, p := range g.all {
			surely[p] = s.startOf(p).surely
		}
	}
	for mix := range 1 << len(open) {
		takesPart := func(p *packages.Package) bool {
			at := slices.Index(open, p.PkgPath)
			return surely[p] || at >= 0 && mix>>at&1 == 1
		}
		if first, second = s.swapped(was.order(takesPart), now.order(takesPart), was); first != "" {
			return first, second
		}
	}
	return "", ""
}

// open returns the packages that may or may not take part in the order. It omits packages for which
// this does not matter.
//
// It does not matter for a package that satisfies three conditions: the runtime imports it, all
// packages that import it depend on the runtime, and the linker sorts it before the runtime. Such a
// package is initialized before the runtime in any case.
func (s *Set) open(was, now *program, matters map[string]bool) (open []string) {
	early := map[string]bool{}   // packages that the runtime imports
	awaited := map[string]bool{} // imports of packages that do not wait for the runtime
	unsure := map[string]bool{}
	for _, g := range []*program{was, now} {
		maps.Copy(early, g.reached(map[string]bool{"runtime": true})["runtime"])
	}
	for _, g := range []*program{was, now} {
		part := g.participants(func(p *packages.Package) bool { return s.startOf(p).surely })
		for path, reached := range g.reached(matters) {
			unsure[path] = unsure[path] || s.startOf(g.all[path]).maybe && !part[path]
			if !early[path] && !reached["runtime"] {
				maps.Copy(awaited, reached)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(unsure)) {
		if unsure[path] && (!early[path] || awaited[path] || bySymbol(path, "runtime") > 0) {
			open = append(open, path)
		}
	}
	return open
}

// overlaps reports whether two sets have a common element.
func overlaps(a, b map[string]bool) bool {
	for path := range a {
		if b[path] {
			return true
		}
	}
	return false
}

// A program contains the packages that are linked into a program, and their import graph. It has
// one package for each path.
type program struct {
	all     map[string]*packages.Package
	imports map[string][]string
	sorted  []string       // package paths in the sort order of the linker
	rank    map[string]int // indexes of the paths in sorted
	effects map[string]bool
}

// program returns the packages of the program with the given root. In packages that change, it
// leaves out the imports in unused.
func (s *Set) program(root *packages.Package, overlay map[string][]byte, unused map[string][]string) *program {
	g := &program{all: map[string]*packages.Package{}, imports: map[string][]string{}, rank: map[string]int{}}
	var walk func(p *packages.Package)
	walk = func(p *packages.Package) {
		if g.all[p.PkgPath] != nil || p.PkgPath == "unsafe" {
			return
		}
		g.all[p.PkgPath] = p
		keep := func(string) bool { return true }
		if s.change[p.PkgPath] && len(unused) > 0 {
			keep = s.keeps(p, overlay, unused)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Imports)) {
			if imported := p.Imports[name]; imported.PkgPath != "unsafe" && keep(name) {
				g.imports[p.PkgPath] = append(g.imports[p.PkgPath], imported.PkgPath)
				walk(imported)
			}
		}
	}
	walk(root)
	g.sorted = slices.SortedFunc(maps.Keys(g.all), bySymbol)
	for i, path := range g.sorted {
		g.rank[path] = i
	}
	return g
}

// keeps returns a function that reports whether a package still imports a path after all imports in
// unused have been removed.
func (s *Set) keeps(p *packages.Package, overlay map[string][]byte, unused map[string][]string) func(path string) bool {
	kept := map[string]bool{}
	for _, name := range p.GoFiles {
		var source any
		if data, changed := overlay[name]; changed {
			source = data
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly|parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			kept[path] = kept[path] || !slices.Contains(unused[name], path)
		}
	}
	return func(path string) bool { return kept[path] }
}

// reached returns, for each of the given packages, the set of its direct and indirect imports,
// which includes the package itself.
func (g *program) reached(some map[string]bool) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for of := range some {
		if g.all[of] == nil {
			continue
		}
		reached := map[string]bool{}
		var walk func(string)
		walk = func(path string) {
			if !reached[path] {
				reached[path] = true
				for _, imported := range g.imports[path] {
					walk(imported)
				}
			}
		}
		walk(of)
		all[of] = reached
	}
	return all
}

// participants returns the packages that take part in the initialization order. These are the
// packages for which takesPart returns true and all packages that import them, directly or
// indirectly.
func (g *program) participants(takesPart func(*packages.Package) bool) map[string]bool {
	part, known := map[string]bool{}, map[string]bool{}
	var walk func(path string)
	walk = func(path string) {
		if known[path] {
			return
		}
		known[path] = true
		part[path] = takesPart(g.all[path])
		for _, imported := range g.imports[path] {
			walk(imported)
			part[path] = part[path] || part[imported]
		}
	}
	for path := range g.all {
		walk(path)
	}
	return part
}

// order returns the packages that take part in the initialization, in initialization order.
func (g *program) order(takesPart func(*packages.Package) bool) (order []string) {
	part := g.participants(takesPart)
	waits, importers := map[string]int{}, map[string][]string{}
	var ready []string // always sorted
	for _, path := range g.sorted {
		if !part[path] {
			continue
		}
		for _, imported := range g.imports[path] {
			if part[imported] {
				waits[path]++
				importers[imported] = append(importers[imported], path)
			}
		}
		if waits[path] == 0 {
			ready = append(ready, path)
		}
	}
	for len(ready) > 0 {
		path := ready[0]
		ready = ready[1:]
		order = append(order, path)
		for _, importer := range importers[path] {
			if waits[importer]--; waits[importer] == 0 {
				at, _ := slices.BinarySearchFunc(ready, importer, func(a, b string) int { return g.rank[a] - g.rank[b] })
				ready = slices.Insert(ready, at, importer)
			}
		}
	}
	return order
}

// bySymbol compares two packages as the linker sorts them: by the symbols of their initialization
// tasks.
func bySymbol(a, b string) int { return strings.Compare(symbolOf(a), symbolOf(b)) }

// symbolOf returns the symbol of a package's initialization task.
func symbolOf(path string) string { return prefixOf(path) + "..inittask" }

// prefixOf returns the path of a package as it appears in symbol names, escaped as by
// cmd/internal/objabi.PathToPrefix.
func prefixOf(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > strings.LastIndexByte(path, '/') || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
