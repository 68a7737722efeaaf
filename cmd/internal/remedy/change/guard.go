package change

import (
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Only restricts a request to the sites that a predicate accepts. It also returns a change in which
// the other sites are left unchanged, for the given reason. If no site remains, it returns a
// Refused error with that reason.
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
