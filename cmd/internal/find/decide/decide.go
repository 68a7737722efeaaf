// Package decide determines what to do about the allocation sites of a program: a remedy for each
// site, proposals that group the sites of one change and have an estimate, and an answer for the
// whole program.
//
// "Leave it alone" and "set GOGC" are answers like any other, and they are tried first. A tool that
// only ranks sites always has a first site to show, so its user may change code that costs nothing.
//
// The package does no measurement and reads no files. Everything it uses is in Input, so that
// tests can replay recorded inputs.
package decide

import (
	"cmp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input contains the results of the other stages.
type Input = remedy.Input

// An Output is the result of Decide, except for the Advice of each site, which Decide stores in the
// site.
type Output struct {
	Answer    site.Answer
	Reason    string          // one sentence
	Proposals []site.Proposal // those with a valid estimate first, then by saving
}

// Decide gives each site its advice, and the program an answer. The result does not depend on the
// order of the sites, which it sorts first: profiles have no order, and two runs on the same
// profile must return the same IDs and titles. It takes microseconds per site.
func Decide(in Input) Output {
	in.Sites = slices.Clone(in.Sites)
	slices.SortFunc(in.Sites, func(a, b *site.Site) int { return cmp.Or(site.Cmp(a, b), cmp.Compare(a.ID, b.ID)) })
	p := program{remedy.New(in)}
	for _, s := range p.Sites {
		s.Advice = p.advise(s)
	}
	proposals := p.propose()
	answer, reason := p.answer(proposals)
	reason += p.builds(proposals)
	return Output{answer, reason, proposals}
}

// A program adds to remedy.Program the methods that compute the answer.
type program struct{ *remedy.Program }

// advise returns the advice of the first rule that matches. The last rule, to leave the site alone,
// always matches. The order of the rules matters: cheaper and safer changes come first, and a rule
// may assume that no earlier rule matched.
func (p program) advise(s *site.Site) (a site.Advice) {
	for _, r := range remedies.Rules() {
		if a.Why = r.Match(p.Program, s); len(a.Why) > 0 {
			a.Remedy, a.Do, a.Rule = r.Remedy.Name, r.Do(p.Program, s), r.Number
			break
		}
	}
	a.Why = append(slices.Clip(a.Why), p.Notes(s)...)
	return a
}
