// Package decide says what to do about the places of a program that allocate: a remedy for each
// site, the sites that one change covers as a proposal with an estimate, and what to do first.
// "Leave it alone" and "set GOGC" are answers like any other.
package decide

import (
	"cmp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input is what the other stages found.
type Input = remedy.Input

// An Output is what Decide says beside the Advice of each site.
type Output struct {
	Answer    site.Answer
	Reason    string          // one sentence
	Proposals []site.Proposal // those with an estimate that holds first, then by what they save
}

// Decide gives each site its advice, and the program an answer. It does not depend on the order of
// the sites. It takes microseconds a site.
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

// A program is what remedies ask about the sites. Here it is asked for an answer.
type program struct{ *remedy.Program }

// advise is the first rule that matches. The last one, to leave it, always does.
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
