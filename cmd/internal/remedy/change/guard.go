package change

import (
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Only returns the request, restricted to the sites for which some returns true, and a change that
// leaves the other sites unchanged, for the given reason. If no site remains, it returns a Refused
// error with that reason.
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
