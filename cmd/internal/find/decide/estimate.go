package decide

import (
	"fmt"
	"go/version"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// removed is which part of malloc's time at a site its remedy takes away.
func (p program) removed(s *site.Site) float64 {
	if r := remedies.Of(s.Remedy); r.Removed != nil {
		return r.Removed(p.Program, s)
	}
	return 1
}

// estimate sums up malloc's time at the sites of a proposal, as far as the remedy removes it.
func (p program) estimate(sites []*site.Site) (e site.Estimate) {
	malloc := 0.0
	for _, s := range sites {
		malloc += s.Malloc
		e.CPU += s.Malloc * p.removed(s)
	}
	e.CPU = remedy.Within(e.CPU)
	lo, hi := remedy.Interval(malloc, p.Classes.Samples)
	part := 1.0 // of malloc's time that is removed
	if malloc > 0 {
		part = min(1, e.CPU/malloc)
	}
	e.Lo, e.Hi = min(remedy.Within(lo*part), e.CPU), max(remedy.Within(hi*part), e.CPU)
	return e
}

// conditions fills in what makes the estimate void, and under which conditions it holds.
func (p program) conditions(e *site.Estimate, r *remedy.Remedy, sites []*site.Site) {
	e.If = append(e.If, "the program's input is like the one that was measured")
	p.samplesHold(e)
	p.versionHolds(e)
	if r.Holds != nil {
		r.Holds(p.Program, e, sites)
	}
	for _, s := range sites {
		if s.Fate.Method == site.Unknown && r.ByFate {
			if p.Existing() && s.Fate.Age > 0 {
				e.If = append(e.If, remedy.Aged(s.Fate)+", and the operation that makes them lasts about as long or longer")
				break
			}
			e.Void = append(e.Void, p.noLifetimes())
			break
		}
	}
	e.If = append(e.If, r.If...)
}

func (p program) samplesHold(e *site.Estimate) {
	switch n := p.Classes.Samples; {
	case n == 0:
		e.Void = append(e.Void, "there is no CPU profile")
	case n < remedy.MinSamples:
		e.Void = append(e.Void, fmt.Sprintf("the CPU profile has %d samples; %d are needed: %s", n, remedy.MinSamples, p.moreSamples()))
	default:
		e.If = append(e.If, fmt.Sprintf("the CPU profile has %d samples or more (%d)", remedy.MinSamples, n))
	}
}

// outdated says that a newer Go exists; empty where not.
func (p program) outdated() string {
	if !version.IsValid(p.Go) || !version.IsValid(p.Newest) || version.Compare(p.Go, p.Newest) >= 0 {
		return ""
	}
	return fmt.Sprintf("it is for %s; allocation costs differ in %s: measure with that, too (-toolchains %s,%s)", p.Go, p.Newest, p.Go[2:], p.Newest[2:])
}

func (p program) versionHolds(e *site.Estimate) {
	if old := p.outdated(); old != "" {
		e.Void = append(e.Void, old)
		return
	}
	goVersion := p.Go
	if goVersion == "" {
		goVersion = "the Go version that was measured"
	}
	e.If = append(e.If, "the program is built with "+goVersion+": allocation costs differ between versions")
}

// holds tells whether an estimate counts for the answer. One that is void because a newer Go exists
// does: it holds for the Go that is in use.
func (p program) holds(e site.Estimate) bool {
	old := p.outdated()
	return !slices.ContainsFunc(e.Void, func(reason string) bool { return reason != old })
}
