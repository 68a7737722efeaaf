package decide

import (
	"fmt"
	"go/version"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// removed returns the fraction of the malloc time at a site that the site's remedy removes.
func (p program) removed(s *site.Site) float64 {
	if r := remedies.Of(s.Remedy); r.Removed != nil {
		return r.Removed(p.Program, s)
	}
	return 1
}

// estimate returns the share of the CPU time that a proposal saves: the malloc time that its remedy
// removes at its sites.
//
// The estimate does not include the work that the collector saves, although that saving is real. In
// a trial with six programs, malloc's time alone came closest to the measured gain: the collector's
// saving and the cost of the remedy itself were about equal (docs/decisions/0021). The interval is
// binomial, because the time is a count of samples. It covers the sampling error, but not the error
// of the model.
func (p program) estimate(sites []*site.Site) (e site.Estimate) {
	malloc := 0.0
	for _, s := range sites {
		malloc += s.Malloc
		e.CPU += s.Malloc * p.removed(s)
	}
	e.CPU = remedy.Within(e.CPU)
	lo, hi := remedy.Interval(malloc, p.Classes.Samples)
	part := 1.0 // fraction of malloc's CPU time that is removed
	if malloc > 0 {
		part = min(1, e.CPU/malloc)
	}
	e.Lo, e.Hi = min(remedy.Within(lo*part), e.CPU), max(remedy.Within(hi*part), e.CPU)
	return e
}

// conditions adds the reasons that make an estimate void, and the conditions under which it holds.
// They are printed with the estimate, because a number without them would be read as a promise.
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
	if r.Owner != nil {
		p.OneGoroutine(e, r.Owner, sites)
	}
	e.If = append(e.If, r.If...)
}

// samplesHold checks that the profile has enough samples for an estimate. With fewer samples, the
// interval of a site would be wider than the threshold for the site.
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

// outdated returns the reason that makes an estimate void if a newer Go exists, and "" otherwise.
// New versions change the cost of malloc, so a saving that was estimated for an old version may
// vanish with the next update.
func (p program) outdated() string {
	if !version.IsValid(p.Go) || !version.IsValid(p.Newest) || version.Compare(p.Go, p.Newest) >= 0 {
		return ""
	}
	return fmt.Sprintf("it is for %s; allocation costs differ in %s: measure with that, too (-toolchains %s,%s)", p.Go, p.Newest, p.Go[2:], p.Newest[2:])
}

// versionHolds adds the condition that the program is built with the Go version that was measured.
// If a newer version exists, it makes the estimate void instead.
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

// usable reports whether the answer may use an estimate. An estimate that is void only because a
// newer Go exists may be used, because it is correct for the Go version in use.
func (p program) usable(e site.Estimate) bool {
	old := p.outdated()
	return !slices.ContainsFunc(e.Void, func(reason string) bool { return reason != old })
}
