package slab

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// costs returns the price of a proposal. It lists retention first, because users notice retention
// later than other costs.
func costs(p *remedy.Program, sites []*site.Site, price []string) []string {
	all := []string{fmt.Sprintf("one held %s pins its chunk of up to %s, and all that the chunk's values point to", remedy.Bare(sites[0].Facts.Type), longest())}
	all = append(all, price...)
	if slices.ContainsFunc(sites, func(s *site.Site) bool { o, _ := p.Owner(s); return o == nil }) {
		all = append(all, "the functions get a parameter, and their callers pass the slab")
	}
	return all
}

// addConditions adds the conditions for a slab to an estimate. Owners must be rare (see
// remedy.Rare), and chunks must be filled.
func addConditions(p *remedy.Program, e *site.Estimate, sites []*site.Site) {
	if slices.ContainsFunc(sites, func(s *site.Site) bool { return slabOwner(p, s) == nil }) {
		remedy.OwnerToCome(e)
	} else {
		p.Rarely(e, sites[0], *slabOwner(p, sites[0]))
	}
	bytesHold(p, e, sites)
}

// maxRise is the maximum increase in bytes per operation, as a fraction. If the increase is larger,
// the estimate is void, because the estimate is based on calls to malloc, not on bytes. With slabs,
// go/parser made a third fewer allocations, but allocated an eighth more bytes, and was slower.
const maxRise = 0.05

// bytesHold predicts how many bytes the unused slots of last chunks add to an operation, and adds
// the corresponding condition or objection to the estimate.
func bytesHold(p *remedy.Program, e *site.Estimate, sites []*site.Site) {
	rise, known := rise(p, sites)
	switch {
	case !known:
		e.If = append(e.If, fmt.Sprintf("B/op rises by less than %s; the owner is not known yet", remedy.Percent(maxRise)))
	case rise > maxRise:
		e.Void = append(e.Void, fmt.Sprintf("B/op would rise by %s, through chunks that are not filled; above %s a program gets no faster", remedy.Percent(rise), remedy.Percent(maxRise)))
	default:
		e.If = append(e.If, fmt.Sprintf("B/op rises by less than %s (predicted: %+.1f %%)", remedy.Percent(maxRise), 100*rise))
	}
}

// rise returns the additional bytes that a proposal's slabs allocate, compared with plain new, as a
// fraction of all bytes. It sums the chunks of all owners for each type. known is false if a site
// has no owner, or if its sizes are unknown.
func rise(p *remedy.Program, sites []*site.Site) (part float64, known bool) {
	type amount struct{ bytes, part, owners float64 }
	types := map[string]*amount{}
	sizes := map[string]int{}
	var order []string
	for _, s := range sites {
		o := slabOwner(p, s)
		if o == nil || s.Facts.Size <= 0 || s.Bytes <= 0 || s.Objects <= 0 {
			return 0, false
		}
		t := types[s.Facts.Type]
		if t == nil {
			t = &amount{}
			types[s.Facts.Type] = t
			order = append(order, s.Facts.Type)
		}
		t.part += s.BytesPart
		t.owners = max(t.owners, o.Many(), 1)
		t.bytes += s.Bytes
		sizes[s.Facts.Type] = int(s.Facts.Size)
		if remedy.Single(s.Facts.Kind) { // other objects of the line may be smaller than the site's
			sizes[s.Facts.Type] = max(1, min(int(s.Facts.Size), int(remedy.Size(s)))) // a sampled mean may be below one byte
		}
	}
	for _, name := range order {
		t, size := types[name], sizes[name]
		values := 0.0
		for _, s := range sites {
			if s.Facts.Type != name {
				continue
			}
			if s.Facts.Kind == site.MakeSlice {
				values += s.Bytes / float64(size)
			} else {
				values += s.Objects
			}
		}
		part += (t.owners*slabBytes(values/t.owners, size)/t.bytes - 1) * t.part
	}
	return part, true
}
