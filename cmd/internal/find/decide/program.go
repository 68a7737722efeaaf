package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A program is the input, with what is known only of all sites together.
type program struct {
	Input
	made  map[made]float64          // objects an operation, by who could own them
	lines map[line][]*site.Site     // sites by their line
	types map[owned]map[string]bool // what arena looks at: types of temporary values that an owner makes often
}

// made are the values of one type that one type of owner makes.
type made struct{ pkg, owner, typ string }

// owned is a type of owner.
type owned struct{ pkg, owner string }

// line is a line of a function.
type line struct {
	file string
	line int
}

func newProgram(in Input) *program {
	p := &program{Input: in, made: map[made]float64{}, lines: map[line][]*site.Site{}, types: map[owned]map[string]bool{}}
	for _, s := range in.Sites {
		at := line{s.File, s.Line}
		p.lines[at] = append(p.lines[at], s)
		for _, o := range ownersOf(s) {
			p.made[made{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
		for _, o := range s.Facts.Above {
			p.made[made{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
	}
	for _, s := range in.Sites {
		o, _ := p.owner(s)
		if o == nil || s.Fate.Main() != "temporary" || !inArena(s) {
			continue
		}
		of := owned{s.Package, o.Type}
		if p.types[of] == nil {
			p.types[of] = map[string]bool{}
		}
		p.types[of][arenaType(s)] = true
	}
	return p
}

// ownersOf are the owners of a site, each type once.
func ownersOf(s *site.Site) (all []site.Owner) {
	for _, o := range s.Facts.Owners {
		if !slices.ContainsFunc(all, func(a site.Owner) bool { return a.Type == o.Type }) {
			all = append(all, o)
		}
	}
	return all
}

// rare is how many values of a type an owner makes for a slab in it to be worth its field: with fewer, the first
// chunks, which are short, are most of them.
const rare = 50

// owner is the best owner that nothing speaks against, or nil, and what speaks against the others.
func (p *program) owner(s *site.Site) (*site.Owner, []string) {
	var against []string
	for _, o := range ownersOf(s) {
		reason := p.against(s, o)
		if reason == "" {
			return &o, against
		}
		against = append(against, reason)
	}
	return nil, against
}

// handing is the best owner that callers have, who would hand in an allocator of it; nil if something speaks against each.
func (p *program) handing(s *site.Site) *site.Owner {
	for _, o := range s.Facts.Above {
		if p.against(s, o) == "" {
			return &o
		}
	}
	return nil
}

// slabOwner is the owner of a slab for the values of a site, at hand or handing it in; nil where it is yet to come.
func (p *program) slabOwner(s *site.Site) *site.Owner {
	o, _ := p.owner(s)
	if o == nil && s.Remedy == site.Slab {
		return p.handing(s)
	}
	return o
}

// against is why an owner should not own an allocator for the values of a site, or empty.
func (p *program) against(s *site.Site, o site.Owner) string {
	name := bare(o.Type)
	if reason := o.Unfit(); reason != "" {
		return reason
	}
	if name == bare(s.Facts.Type) {
		return fmt.Sprintf("%s is such a value itself: each would carry an allocator", name)
	}
	each := p.each(s, o)
	switch {
	case each >= rare:
		return ""
	case o.Instances <= 1:
		return fmt.Sprintf("%s makes %s %s %s, and %d pay for an allocator in it", name, number(each), bare(s.Facts.Type), p.per(), rare)
	}
	return fmt.Sprintf("%s is not rare: %s makes %s of them, and each makes %s %s, where %d pay for an allocator in it",
		name, p.per(), number(o.Instances), number(each), bare(s.Facts.Type), rare)
}

// each is how many values of the site's type one owner makes in an operation. Where an operation allocates no owner,
// it lives longer, or on the stack, and there is taken to be one; the estimate says so.
func (p *program) each(s *site.Site, o site.Owner) float64 {
	return p.made[made{s.Package, o.Type, s.Facts.Type}] / max(1, o.Instances)
}

// size is how many bytes an object of the site has in the mean, as the runtime counts them.
func size(s *site.Site) float64 {
	if s.Objects <= 0 {
		return float64(s.Facts.Size)
	}
	return s.Bytes / s.Objects
}

// bare is a name of a type without a star and its package.
func bare(typ string) string {
	typ = strings.TrimLeft(typ, "*[]")
	if i := strings.IndexByte(typ, '['); i >= 0 { // of a generic type
		return bare(typ[:i]) + typ[i:]
	}
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		return typ[i+1:]
	}
	return typ
}

// number writes a count with at most one decimal, or three digits of a small one.
func number(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// percent writes a part.
func percent(part float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*part), ".0") + " %"
}
