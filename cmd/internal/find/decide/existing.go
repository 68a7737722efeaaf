package decide

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// noLifetimes explains why the lifetimes are unknown, and how to measure them.
func (p program) noLifetimes() string {
	if p.Existing() {
		return "how long the values live is not known: a benchmark measures it, and two or more heap profiles of one process give their age"
	}
	if p.Unit == "run" {
		return "how long the values live is not known: a run shows it only for values in use at its end; a benchmark of the same work measures the rest"
	}
	return "how long the values live is not known: it is measured only if the program is run, and without -quick"
}

// moreSamples tells the user how to get more CPU samples.
func (p program) moreSamples() string {
	if p.Existing() {
		return "add more with -cpuprofile"
	}
	return "run longer"
}

// measureSettings tells the user which question profiles alone cannot answer.
const measureSettings = "profiles do not show what a higher GOGC would save"

// answerOfProfiles returns the answer for existing profiles, when no program was run. The answer is
// never "set GOGC", because no setting was measured. It is "leave it alone" only if all memory work
// together takes less CPU time than the smallest worthwhile saving, because then no measurement
// could change the answer.
func (p program) answerOfProfiles(proposals []site.Proposal) (site.Answer, string) {
	switch n := p.Classes.Samples; {
	case n == 0:
		return site.NotKnown, "there is no CPU profile, so the cost of malloc and the collector is unknown: add one with -cpuprofile"
	case n < remedy.MinSamples:
		return site.NotKnown, fmt.Sprintf("the CPU profiles have %d samples, but %d are needed: %s", n, remedy.MinSamples, p.moreSamples())
	}
	if why, ok := p.Idle(); ok {
		return site.LeaveAlone, why
	}
	takes := fmt.Sprintf("malloc and the collector take %s of the CPU time", remedy.Percent(p.Classes.Memory()))
	sum, most := p.totalSavings(proposals)
	switch {
	case len(proposals) == 0 && !slices.ContainsFunc(p.Sites, func(s *site.Site) bool { return s.Facts.NoSource == "" }):
		return site.NotKnown, takes + ", but the remedy depends on the source: name its module with -C"
	case len(proposals) == 0:
		return site.NotKnown, takes + ", but no site has a remedy that profiles can show; " + measureSettings
	case most == 0:
		return site.NotKnown, takes + ", but no estimate holds: " + proposals[0].Estimate.Void[0] + "; " + measureSettings
	case most < worthwhile:
		return site.NotKnown, fmt.Sprintf("%s, and the fixes whose estimates hold save %s at most; %s", takes, remedy.Percent(most), measureSettings)
	}
	return site.FixSites, fmt.Sprintf("%s, and %s; %s", takes, p.fixesBring(proposals, sum), measureSettings)
}
