// Package decide says what to do about the places of a program that allocate: a remedy for each site, the sites
// that one change covers as a proposal with an estimate, and what to do first. "Leave it alone" and "set GOGC"
// are answers like any other.
package decide

import (
	"cmp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input is what the other stages found.
type Input struct {
	Op site.Op
	// Unit is what an operation is, as in the target: "profile" or "second" of profiles that exist, where ages are in
	// seconds and no setting can be measured.
	Unit     string
	Classes  site.Classes
	Ceiling  *site.Setting  // what a program without a collector saves; nil where nobody measured it
	Settings []site.Setting // what one line brings: GOGC=400
	Sites    []*site.Site   // in any order; Decide fills in the Advice of each
	// Next are the arguments that name the target to coppice prove: -bench '^BenchmarkParse$' ./html, or two commands after --
	Next string
	// Go is the version that was measured, go1.26.8. Newest is the newest one that is known and was not
	// measured; empty where there is none.
	Go, Newest string
}

// An Output is what Decide says beside the Advice of each site.
type Output struct {
	Answer    site.Answer
	Reason    string          // one sentence
	Proposals []site.Proposal // those with an estimate that holds first, then by what they save
}

// MinSamples is how many samples a CPU profile needs before sites are ranked by it: with fewer, the share of
// a site of 5 % is known to no better than 1.4 points.
const MinSamples = 1000

// Decide gives each site its advice, and the program an answer. It does not depend on the order of the sites.
// It takes microseconds a site.
func Decide(in Input) Output {
	in.Sites = slices.Clone(in.Sites)
	slices.SortFunc(in.Sites, func(a, b *site.Site) int { return cmp.Or(site.Cmp(a, b), cmp.Compare(a.ID, b.ID)) })
	p := newProgram(in)
	for _, s := range p.Sites {
		s.Advice = p.advise(s)
	}
	proposals := p.propose()
	answer, reason := p.answer(proposals)
	return Output{answer, reason, proposals}
}

// advise is the first rule that matches.
func (p *program) advise(s *site.Site) site.Advice {
	for _, r := range rules {
		if why := r.match(p, s); len(why) > 0 {
			return site.Advice{Remedy: r.remedy, Do: r.do(p, s), Rule: r.number, Why: why}
		}
	}
	return site.Advice{Remedy: site.Leave, Do: "leave", Rule: lastRule, Why: p.reasonToLeave(s)}
}
