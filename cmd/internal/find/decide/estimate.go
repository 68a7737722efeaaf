package decide

import (
	"fmt"
	"go/version"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"gonum.org/v1/gonum/stat/distuv"
)

// removed is which part of malloc's time at a site its remedy takes away. Most take the objects away
// altogether. What the collector saves by it, and what the remedy itself takes, is in none of these: over six
// programs the two came to the same.
func (p *program) removed(s *site.Site) float64 {
	switch s.Remedy {
	case site.Leave:
		return 0
	case site.OneArray: // of n objects one is left; in rtreego half of malloc's time at two makes was what one brought
		n := float64(max(2, makes(p.group(s))))
		return 1 - 1/n
	case site.Presize:
		// Growth by doubling takes the final bytes once more in all. Making room at first leaves the final array:
		// half of the bytes, and one of several objects.
		return 0.5
	case site.Intern: // the first of each string is still made
		part, _ := distinct(s)
		return 1 - part
	case site.Slab, site.Arena, site.Reuse, site.Store, site.Flat:
		// The values come from memory that was got for many at a time.
		return 1
	case site.Scratch, site.Inline:
		// Nothing grows any more. What is held after scratch comes from a slab.
		return 1
	case site.AvoidCopy, site.Concrete:
		return 1 // nothing is allocated
	}
	return 0
}

// estimate sums up malloc's time at the sites of a proposal, as far as the remedy removes it.
func (p *program) estimate(sites []*site.Site) (e site.Estimate) {
	malloc := 0.0
	for _, s := range sites {
		malloc += s.Malloc
		e.CPU += s.Malloc * p.removed(s)
	}
	e.CPU = within(e.CPU)
	lo, hi := interval(malloc, p.Classes.Samples)
	part := 1.0 // of malloc's time that is removed
	if malloc > 0 {
		part = min(1, e.CPU/malloc)
	}
	e.Lo, e.Hi = min(within(lo*part), e.CPU), max(within(hi*part), e.CPU)
	return e
}

func within(x float64) float64 { return min(1, max(0, x)) }

// interval is the 95 % interval of Clopper and Pearson for a part of so many samples.
func interval(part float64, samples int) (lo, hi float64) {
	const tail = 0.025
	n := float64(samples)
	k := within(part) * n
	if samples <= 0 {
		return 0, 1
	}
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - tail)
	}
	return lo, hi
}

// maxRise is by how much a change may raise the bytes of an operation before its estimate is void: go/parser allocated a
// third less with slabs and an eighth more bytes, and took longer.
const maxRise = 0.05

// conditions fills in what makes the estimate void, and under which conditions it holds.
func (p *program) conditions(e *site.Estimate, remedy site.Remedy, sites []*site.Site) {
	e.If = append(e.If, "the program's input is like the one that was measured")
	p.samplesHold(e)
	p.versionHolds(e)
	if remedy == site.Slab || remedy == site.Arena || remedy == site.Scratch {
		p.ownerHolds(e, sites)
	}
	if remedy == site.Slab {
		p.bytesHold(e, sites)
	}
	for _, s := range sites {
		if s.Fate.Method == site.Unknown && fateMatters(remedy) {
			if p.existing() && s.Fate.Age > 0 {
				e.If = append(e.If, aged(s.Fate)+", and the operation that makes them lasts about as long or longer")
				break
			}
			e.Void = append(e.Void, p.noLifetimes())
			break
		}
	}
	e.If = append(e.If, remedies.Of(remedy).If...)
}

func fateMatters(r site.Remedy) bool {
	return r == site.Slab || r == site.Scratch || r == site.AvoidCopy
}

func (p *program) samplesHold(e *site.Estimate) {
	switch n := p.Classes.Samples; {
	case n == 0:
		e.Void = append(e.Void, "there is no CPU profile")
	case n < MinSamples:
		e.Void = append(e.Void, fmt.Sprintf("the CPU profile has %d samples; %d are needed: %s", n, MinSamples, p.moreSamples()))
	default:
		e.If = append(e.If, fmt.Sprintf("the CPU profile has %d samples or more (%d)", MinSamples, n))
	}
}

// outdated says that a newer Go exists; empty where not.
func (p *program) outdated() string {
	if !version.IsValid(p.Go) || !version.IsValid(p.Newest) || version.Compare(p.Go, p.Newest) >= 0 {
		return ""
	}
	return fmt.Sprintf("it is for %s; %s allocates at another cost: measure with that, too (-toolchains %s,%s)", p.Go, p.Newest, p.Go[2:], p.Newest[2:])
}

func (p *program) versionHolds(e *site.Estimate) {
	if old := p.outdated(); old != "" {
		e.Void = append(e.Void, old)
		return
	}
	goVersion := p.Go
	if goVersion == "" {
		goVersion = "the Go version that was measured"
	}
	e.If = append(e.If, "the program is built with "+goVersion+": each version allocates at another cost")
}

// holds tells whether an estimate counts for the answer. One that is void because a newer Go exists does: it holds for
// the Go that is in use.
func (p *program) holds(e site.Estimate) bool {
	old := p.outdated()
	return !slices.ContainsFunc(e.Void, func(reason string) bool { return reason != old })
}

// ownerHolds checks that owners are rare.
func (p *program) ownerHolds(e *site.Estimate, sites []*site.Site) {
	for _, s := range sites {
		owners := ownersOf(s)
		o := p.slabOwner(s)
		switch {
		case o == nil && (s.Remedy == site.Slab || len(owners) == 0): // it is yet to come
			e.If = append(e.If, fmt.Sprintf("the owner that it gets makes %d values or more", rare))
			return
		case o == nil:
			e.Void = append(e.Void, p.against(s, owners[0]))
			return
		}
	}
	o := p.slabOwner(sites[0])
	if o.Instances <= 0 && p.existing() {
		e.Void = append(e.Void, fmt.Sprintf("the profiles have no %s, so nobody knows how many share the values: a benchmark counts them", bare(o.Type)))
		return
	}
	if o.Instances <= 0 {
		e.If = append(e.If, fmt.Sprintf("an operation works with few %s: it allocates none, so they live longer or on the stack, and nobody counted them", bare(o.Type)))
	}
	e.If = append(e.If, fmt.Sprintf("each %s makes %d values or more of a type (%s)", bare(o.Type), rare, number(p.each(sites[0], *o))))
}

// bytesHold predicts the bytes that free slots of last chunks add to an operation.
func (p *program) bytesHold(e *site.Estimate, sites []*site.Site) {
	rise, known := p.rise(sites)
	switch {
	case !known:
		e.If = append(e.If, fmt.Sprintf("B/op rises by less than %s; nobody knows yet what the owner will be", percent(maxRise)))
	case rise > maxRise:
		e.Void = append(e.Void, fmt.Sprintf("B/op would rise by %s, through chunks that are not filled; above %s a program gets no faster", percent(rise), percent(maxRise)))
	default:
		e.If = append(e.If, fmt.Sprintf("B/op rises by less than %s (predicted: %+.1f %%)", percent(maxRise), 100*rise))
	}
}

// rise is by which part of all bytes the slabs of a proposal take more than plain new: for each type, what an
// owner's chunks take for its values, for all owners. It is not known without owners.
func (p *program) rise(sites []*site.Site) (part float64, known bool) {
	type amount struct{ bytes, part, owners float64 }
	types := map[string]*amount{}
	sizes := map[string]int{}
	var order []string
	for _, s := range sites {
		o := p.slabOwner(s)
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
		t.owners = max(t.owners, o.Instances, 1)
		t.bytes += s.Bytes
		sizes[s.Facts.Type] = int(s.Facts.Size)
		if single(s.Facts.Kind) { // others of the line may be smaller
			sizes[s.Facts.Type] = min(int(s.Facts.Size), int(size(s)))
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
