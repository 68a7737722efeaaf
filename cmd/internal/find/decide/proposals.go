package decide

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// propose returns the proposals. Each proposal is for the sites that one change covers. propose
// also records in each site's advice the proposal to which the site belongs. Sites are grouped by
// owner or by function, not by line, because users change code that way, and because gains that
// occur only together must be proven together. Proposals with a valid estimate come first, so that
// the user can always act on the first one. Among the proposals with a valid estimate, and among
// the others, a proposal that causes a data race if an owner is shared comes last.
func (p program) propose() []site.Proposal {
	groups := map[string][]*site.Site{}
	shared := map[string]bool{}
	var order []string
	for _, s := range p.Sites {
		if s.Remedy == site.Leave {
			continue
		}
		id := hashed(string(s.Remedy), s.Package, p.subject(s))
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], s)
	}
	all := make([]site.Proposal, 0, len(order))
	bytes := map[string]float64{} // bytes by proposal ID, to sort proposals without a CPU profile
	for _, id := range order {
		for _, s := range groups[id] {
			bytes[id] += s.BytesPart
		}
		r := p.proposal(id, groups[id])
		if of := remedies.Of(r.Remedy); of.Owner != nil {
			shared[id] = slices.ContainsFunc(groups[id], func(s *site.Site) bool { o := of.Owner(p.Program, s); return o != nil && o.Outlives() })
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b site.Proposal) int {
		return cmp.Or(
			rank(p.usable(a.Estimate))-rank(p.usable(b.Estimate)), rank(!shared[a.ID])-rank(!shared[b.ID]),
			cmp.Compare(b.Estimate.CPU, a.Estimate.CPU), cmp.Compare(bytes[b.ID], bytes[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// rank returns a sort key, which is smaller if good is true.
func rank(good bool) int {
	if good {
		return 0
	}
	return 1
}

// hashed returns the ID of a proposal, a hash of its remedy, its package and its subject. Lines and
// costs are not included, so that the ID stays the same when the user edits other code or measures
// again.
func hashed(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// subject names the object of the change at a site: an owner, a group of arrays or a function.
func (p program) subject(s *site.Site) string {
	if r := remedies.Of(s.Remedy); r.Subject != nil {
		return r.Subject(p.Program, s)
	}
	return s.Declared()
}

func (p program) proposal(id string, sites []*site.Site) site.Proposal {
	first := sites[0] // the most expensive site
	r := site.Proposal{
		ID: id, Remedy: first.Remedy, Title: p.title(sites), Estimate: p.estimate(sites),
		Price: p.price(sites), Requires: p.requires(sites), Page: remedy.Page(first.Remedy), Help: remedy.Help(first.Remedy),
		Next: next(first.Remedy, p.Next),
	}
	p.conditions(&r.Estimate, remedies.Of(first.Remedy), sites)
	if !p.usable(r.Estimate) && !p.fatesKnown() && !p.Existing() && strings.HasPrefix(p.Next, "-bench ") {
		r.Next = "coppice find " + p.Next // the same command without -quick
	}
	for _, s := range sites {
		s.Proposal = id
		if !slices.Contains(r.Sites, s.ID) {
			r.Sites = append(r.Sites, s.ID)
		}
		for _, why := range s.Why {
			if !slices.Contains(r.Why, why) && s == first {
				r.Why = append(r.Why, why)
			}
		}
	}
	return r
}

// next returns the command that makes and proves the change or, if fix cannot make it, the command
// that proves a change made by hand. Each proposal ends with a measurement, because an estimate is
// never final.
func next(remedy site.Remedy, target string) string {
	if strings.HasPrefix(target, "-bench ") && remedies.Can(remedy) {
		return "coppice fix " + target
	}
	return Proving(target)
}

// Proving returns the command that proves a change made by hand, or "" if there is no target that
// could be measured.
func Proving(target string) string {
	if target == "" {
		return ""
	}
	if strings.HasPrefix(target, "-- ") { // -base does not apply to commands
		return "coppice prove " + target
	}
	return "coppice prove -base HEAD " + target
}

// title returns the title of a proposal: what to do, and for which types.
func (p program) title(sites []*site.Site) string {
	first := sites[0]
	var types []string
	for _, s := range sites {
		if t := s.Facts.Spelled(); t != "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	const most = 3
	if len(types) > most {
		types = append(types[:most], fmt.Sprintf("%d more", len(types)-most))
	}
	switch {
	case remedies.Of(first.Remedy).Untyped || len(types) == 0:
		return first.Do + " in " + first.Declared()
	default:
		return first.Do + " for " + strings.Join(types, ", ")
	}
}

// price lists the lasting costs of a proposal, besides the work of the change: memory that lives
// longer, a rule that users of the type must obey. They are shown beside the saving, because the
// saving alone would make every proposal look worthwhile.
func (p program) price(sites []*site.Site) []string {
	r := remedies.Of(sites[0].Remedy)
	all := slices.Clone(r.Price)
	if r.Costs != nil {
		all = r.Costs(p.Program, sites, all)
	}
	if slices.ContainsFunc(sites, func(s *site.Site) bool { return s.Facts.Generated || s.Facts.Directive }) {
		all = append(all, "the source is generated: change what it is generated from")
	}
	return all
}

// requires describes what the imports of a proposal require of the module.
func (p program) requires(sites []*site.Site) string {
	r := remedies.Of(sites[0].Remedy)
	if r.Imports == nil {
		return ""
	}
	var all []string
	for _, s := range sites {
		if text := p.Requirement(r.Imports(p.Program, s)); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}
