package reach

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A link is a directive that gives a function or a variable a linker name, or refers to a function
// or a variable by its linker name.
type link struct {
	local string // the first name in the directive, from the package of its file
	full  string // the path and name that the directive gives after it; empty if there is none
	where string
}

var (
	pushed = regexp.MustCompile(`^//(?:go:linkname|export|go:wasmexport|go:cgo_export_\w+)\s+(\S+)`)
	pulled = regexp.MustCompile(`^//go:linkname\s+\S+\s+(\S+)\s*$`)
)

// findLinks collects these directives from all files of the module.
func (m *Module) findLinks() {
	m.links = map[string][]link{}
	for _, f := range m.files {
		if !strings.HasSuffix(f.name, ".go") {
			continue
		}
		data, err := os.ReadFile(f.name)
		if err != nil || !strings.Contains(string(data), "//go:linkname") && !strings.Contains(string(data), "//export") && !strings.Contains(string(data), "//go:wasmexport") && !strings.Contains(string(data), "//go:cgo_export") {
			continue
		}
		number := 0
		for line := range strings.Lines(string(data)) {
			number++
			l := link{where: fmt.Sprintf("%s:%d", filepath.Base(f.name), number)}
			if found := pushed.FindStringSubmatch(line); found != nil {
				l.local = found[1]
			}
			if found := pulled.FindStringSubmatch(line); found != nil {
				l.full = found[1]
			}
			if l.local != "" {
				m.links[f.pkg] = append(m.links[f.pkg], l)
			}
		}
	}
}

// Linked returns the first position at which a function or variable of a package is accessed by its
// linker name: in assembly, in //go:linkname or in //export. It returns "" if there is none.
func (m *Module) Linked(pkgPath, name string) (where string) {
	if m.links == nil {
		m.findLinks()
	}
	for _, pkg := range slices.Sorted(maps.Keys(m.links)) {
		for _, l := range m.links[pkg] {
			if pkg == pkgPath && l.local == name || l.full == pkgPath+"."+name {
				return l.where
			}
		}
	}
	symbol := regexp.MustCompile(`(·|\b)` + regexp.QuoteMeta(name) + `\b`)
	for _, f := range m.files {
		if f.pkg == pkgPath && !strings.HasSuffix(f.name, ".go") {
			if line := grep(f.name, symbol); line > 0 {
				return fmt.Sprintf("%s:%d", filepath.Base(f.name), line)
			}
		}
	}
	return ""
}

// symbol returns the linker name of a function or method without its package path, as in (*T).Name.
func symbol(fn *ssa.Function) string {
	recv := fn.Signature.Recv()
	if recv == nil {
		return fn.Name()
	}
	t, form := recv.Type(), "%s.%s"
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t, form = p.Elem(), "(*%s).%s"
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return fmt.Sprintf(form, named.Obj().Name(), fn.Name())
	}
	return fn.Name()
}

// linked searches for functions that accept or return the owner and that other code may call by a
// linker name. It also searches for packages that refer to any name of this package by its linker
// name.
func (c *confinement) linked(pkg *types.Package) {
	if c.Module.links == nil {
		c.findLinks()
	}
	for _, path := range slices.Sorted(maps.Keys(c.links)) {
		for _, l := range c.links[path] {
			switch {
			case c.why != "":
				return
			case path != pkg.Path() && strings.HasPrefix(l.full, pkg.Path()+"."):
				c.why = fmt.Sprintf("%s is used by its linker name at %s", l.full, l.where)
			case path == pkg.Path():
				if fn, ok := pkg.Scope().Lookup(l.local).(*types.Func); ok && c.inSignature(fn.Signature()) {
					c.why = fmt.Sprintf("%s gets or returns the owner, and has a linker name at %s, by which other packages may call it", l.local, l.where)
				}
			}
		}
	}
}

// grep returns the number of the first line that matches the pattern, or 0 if none does.
func grep(name string, pattern *regexp.Regexp) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if pattern.MatchString(strings.TrimRight(line, "\r\n")) {
			return number
		}
	}
	return 0
}
