package decide

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Part returns the estimate for some of the sites of a proposal. The estimate lists no conditions,
// because the conditions of the whole proposal apply to it. Decide must have stored its advice in
// the sites.
func Part(in Input, sites []*site.Site) site.Estimate { return program{remedy.New(in)}.estimate(sites) }

// Taken states how much of the proposals' saving coppice fix can realize. It returns "" if fix
// examined no proposal with a valid estimate.
func Taken(in Input, proposals []site.Proposal) string {
	p := program{remedy.New(in)}
	sum, looked, of := 0.0, false, ""
	for _, r := range proposals {
		switch {
		case !p.usable(r.Estimate):
		case r.Fix == nil:
			of = "of those shown "
		default:
			sum, looked = sum+r.Fix.CPU, true
		}
	}
	switch {
	case !looked:
		return ""
	case sum == 0:
		return of + "coppice fix makes none: change them by hand, and prove it"
	}
	return fmt.Sprintf("%scoppice fix takes sites worth %s", of, remedy.Percent(remedy.Within(sum)))
}
