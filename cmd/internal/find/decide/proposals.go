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

// propose groups the sites that one change covers, and says in each site's advice where it belongs.
func (p *program) propose() []site.Proposal {
	groups := map[string][]*site.Site{}
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
	bytes := map[string]float64{} // what tells proposals apart without a CPU profile
	for _, id := range order {
		for _, s := range groups[id] {
			bytes[id] += s.BytesPart
		}
		all = append(all, p.proposal(id, groups[id]))
	}
	slices.SortStableFunc(all, func(a, b site.Proposal) int {
		return cmp.Or(
			rank(p.holds(a.Estimate))-rank(p.holds(b.Estimate)),
			cmp.Compare(b.Estimate.CPU, a.Estimate.CPU), cmp.Compare(bytes[b.ID], bytes[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// rank puts what holds first.
func rank(holds bool) int {
	if holds {
		return 0
	}
	return 1
}

func hashed(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// subject is what one change is about: an owner, a group of arrays, the constructors of a package, or a function.
func (p *program) subject(s *site.Site) string {
	switch s.Remedy {
	case site.Slab, site.Arena:
		if o := p.slabOwner(s); o != nil {
			return o.Type
		}
		return "constructors"
	case site.Reuse:
		if o := p.keeper(s); o != nil {
			return o.Type
		}
		return s.Function + " " + s.Facts.Type
	case site.Store, site.Flat, site.Concrete:
		return s.Facts.Type
	case site.OneArray:
		first := s.Line
		for _, other := range p.group(s) {
			first = min(first, other.Line)
		}
		// Lines move, so what counts is which group of the function it is.
		return fmt.Sprintf("%s %d", s.Function, p.ordinal(s, first))
	case site.Scratch, site.Presize, site.Inline:
		return s.Function + " " + s.Facts.Type
	}
	return s.Function
}

// ordinal is how many lines before this one have small arrays in the same function.
func (p *program) ordinal(s *site.Site, before int) (n int) {
	seen := map[int]bool{}
	for _, other := range p.Sites {
		if other.File == s.File && other.Function == s.Function && other.Remedy == s.Remedy && other.Line < before && !seen[other.Line] {
			seen[other.Line] = true
			n++
		}
	}
	return n
}

func (p *program) proposal(id string, sites []*site.Site) site.Proposal {
	first := sites[0] // the most expensive
	r := site.Proposal{
		ID: id, Remedy: first.Remedy, Title: p.title(sites), Estimate: p.estimate(sites),
		Price: p.price(sites), Page: remedy.Page(first.Remedy),
		Next: next(first.Remedy, p.Next),
	}
	p.conditions(&r.Estimate, first.Remedy, sites)
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

// next is the command that makes a change of the target and proves it, or that proves what a person has changed.
func next(remedy site.Remedy, target string) string {
	if strings.HasPrefix(target, "-bench ") && site.Automatic(remedy) {
		return "coppice fix " + target
	}
	if strings.HasPrefix(target, "-- ") { // commands are compared as they are
		return "coppice prove " + target
	}
	return strings.TrimSpace("coppice prove -base HEAD " + target)
}

// title is what to do, and for which types.
func (p *program) title(sites []*site.Site) string {
	first := sites[0]
	var types []string
	for _, s := range sites {
		if t := bare(s.Facts.Type); t != "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	const most = 3
	if len(types) > most {
		types = append(types[:most], fmt.Sprintf("%d more", len(types)-most))
	}
	switch {
	case first.Remedy == site.AvoidCopy || len(types) == 0:
		return first.Do + " in " + first.Function
	default:
		return first.Do + " for " + strings.Join(types, ", ")
	}
}

// price is what a proposal costs besides work.
func (p *program) price(sites []*site.Site) []string {
	first := sites[0]
	all := slices.Clone(remedies.Of(first.Remedy).Price)
	if first.Remedy == site.Slab {
		all = append([]string{fmt.Sprintf("one held %s pins its chunk of up to 6.4 KiB, and all that the chunk's values point to", bare(first.Facts.Type))}, all...)
		if slices.ContainsFunc(sites, func(s *site.Site) bool { o, _ := p.owner(s); return o == nil }) {
			all = append(all, "the functions get a parameter, and their callers hand the slab in")
		}
	}
	for _, s := range sites {
		if s.Facts.Generated || s.Facts.Directive {
			all = append(all, "the source is generated: change what it is generated from")
			break
		}
	}
	return all
}
