package change

import (
	"go/types"
	"regexp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// GuardOneArray refuses packages that look at memory.
func GuardOneArray(r Request) (Request, Change, error) {
	if slices.Contains(r.Package.Types.Imports(), types.Unsafe) {
		return r, Change{}, refused("the package imports unsafe: it may look at values as memory, and want them allocated one by one")
	}
	return r, Change{}, nil
}

// GuardPresize leaves counts that may be anything.
func GuardPresize(r Request) (Request, Change, error) {
	return r.only(func(s *site.Site) bool { return certain.MatchString(s.Facts.Known) },
		"the count is no length of what is there already: a wrong one would ask for any amount of memory")
}

// certain are counts that cannot be made up: the length of something, and constants.
var certain = regexp.MustCompile(`^(len\([\w.]+\)|\d+)$`)

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
