// Package decide determines what to do about the allocation sites of a program. It selects a remedy
// for each site, groups the sites of one change into a proposal with an estimate, and gives an
// answer for the whole program.
//
// "Leave it alone" and "set GOGC" are possible answers, and they are considered first. A tool that
// only ranks sites always has a first site to show, so its users may change code whose allocations
// cost nothing.
//
// The package measures nothing and reads no files. All its data is in Input, so that tests can
// replay recorded inputs.
package decide

import (
	"cmp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input contains the results of the earlier stages of coppice find.
type Input = remedy.Input

// An Output contains the results of Decide, except for the Advice of each site, which Decide stores
// in the site.
type Output struct {
	Answer    site.Answer
	Reason    string          // reason for the answer, in one sentence
	Proposals []site.Proposal // proposals with a valid estimate first, then by decreasing saving
}

// Decide selects the advice for each site and the answer for the program. It sorts the sites first,
// so that the result does not depend on their order: profiles have no order, and two runs on the
// same profile must return the same IDs and titles. Decide takes microseconds per site.
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

// A program is a remedy.Program with the methods that compute the answer.
type program struct{ *remedy.Program }

// advise returns the advice of the first rule that matches. The last rule, which leaves the site
// alone, always matches. The order of the rules matters: cheaper and safer changes come first, and
// a rule may assume that no earlier rule matched.
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
