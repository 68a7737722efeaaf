package change

import (
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Only returns the request with those sites for which the predicate returns true, and why the
// others stay as they are.
func (r Request) Only(some func(*site.Site) bool, why string) (Request, Change, error) {
	var fit []*site.Site
	var c Change
	for _, s := range r.Sites {
		if some(s) {
			fit = append(fit, s)
		} else {
			c.Leave(s, why)
		}
	}
	if r.Sites = fit; len(fit) == 0 {
		return r, c, Refused{why}
	}
	return r, c, nil
}
