package reach

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Broken describes a package that does not compile, so that the analysis is incomplete. It returns
// "" if everything compiles. odd is set if the code compiles but its functions cannot be analyzed.
func (m *Module) Broken() (why string, odd bool) {
	if len(m.broken) == 0 {
		return "", false
	}
	return m.broken[0].why, m.odd
}

// wrong returns the reason that p or one of its imports does not compile, or "" if all of them
// compile. known caches the results.
func wrong(p *packages.Package, known map[*packages.Package]string) (why string) {
	if why, ok := known[p]; ok {
		return why
	}
	known[p] = ""
	switch {
	case len(p.Errors) > 0:
		why = p.Errors[0].Error()
	case p.IllTyped:
		why = "it does not compile"
	default:
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if why = wrong(p.Imports[path], known); why != "" {
				why = fmt.Sprintf("it imports %s: %s", path, why)
				break
			}
		}
	}
	known[p] = why
	return why
}
