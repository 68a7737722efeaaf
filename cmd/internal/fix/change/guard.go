package change

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/find/site"
)

// asMemory are packages whose import speaks against a change: who imports one may look at values as memory, or want them allocated one by
// one.
var asMemory = []string{"unsafe", "runtime", "weak", "sync/atomic"}

// guarded returns the request with the sites that may be changed for a stranger, and why the others stay. Packages that have to do with the
// memory of values are left alone. A Refused error says why no site is left.
func (r Request) guarded() (Request, Change, error) {
	switch r.Remedy {
	case site.Slab, site.OneArray:
		imports := r.imports()
		if i := slices.IndexFunc(asMemory, func(p string) bool { return imports[p] }); i >= 0 {
			return r, Change{}, refused("the package imports %s: finalizers, atomic operations and unsafe code want values that are allocated one by one", asMemory[i])
		}
	case site.Presize:
		return r.only(func(s *site.Site) bool { return certain.MatchString(s.Facts.Known) },
			"the count is no length of what is there already: a wrong one would ask for any amount of memory")
	}
	return r, Change{}, nil
}

// certain are counts that cannot be made up: the length of something, and constants.
var certain = regexp.MustCompile(`^(len\([\w.]+\)|\d+)$`)

// imports are the packages that the files import.
func (r *Request) imports() map[string]bool {
	all := map[string]bool{}
	for _, file := range r.Package.Syntax {
		for _, spec := range file.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil {
				all[p] = true
			}
		}
	}
	return all
}

// only is the request with some of its sites, and why the others stay.
func (r Request) only(some func(*site.Site) bool, why string) (Request, Change, error) {
	var fit []*site.Site
	var c Change
	for _, s := range r.Sites {
		if some(s) {
			fit = append(fit, s)
		} else {
			c.leave(s, why)
		}
	}
	if r.Sites = fit; len(fit) == 0 {
		return r, c, Refused{why}
	}
	return r, c, nil
}
