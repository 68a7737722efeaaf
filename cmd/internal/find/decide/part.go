package decide

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Part is the estimate of some of the sites of a proposal, without its conditions, which are those
// of all. Decide has been asked before.
func Part(in Input, sites []*site.Site) site.Estimate { return program{remedy.New(in)}.estimate(sites) }

// Taken says how much of what the fixes are worth coppice fix takes; empty where fix was not asked,
// or none of them has a value.
func Taken(in Input, proposals []site.Proposal) string {
	p := program{remedy.New(in)}
	sum, looked, of := 0.0, false, ""
	for _, r := range proposals {
		switch {
		case !p.holds(r.Estimate):
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
		return of + "coppice fix takes none: all is by hand"
	}
	return fmt.Sprintf("%scoppice fix takes sites worth %s", of, remedy.Percent(remedy.Within(sum)))
}
