package remedy

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input is what the other stages found.
type Input struct {
	Op site.Op
	// Unit is what an operation is, as in the target: "profile" or "second" of profiles that exist,
	// where ages are in seconds and no setting can be measured.
	Unit     string
	Classes  site.Classes
	Ceiling  *site.Setting  // what a program without a collector saves; nil where nobody measured it
	Settings []site.Setting // what one line brings: GOGC=400
	Sites    []*site.Site   // in any order; decide fills in the Advice of each
	// Next are the arguments that name the target to coppice prove: -bench '^BenchmarkParse$'
	// ./html, or two commands after --
	Next string
	// Go is the version that was measured, go1.26.8. Newest is the newest one that is known and was
	// not measured; empty where there is none.
	Go, Newest string
}

// A Program is the input, with what is known only of all sites together. Remedies ask it.
type Program struct {
	Input
	made  map[made]float64 // objects an operation, by who could own them
	known map[any]any      // what Known has found
}

// made are the values of one type that one type of owner makes.
type made struct{ pkg, owner, typ string }

// anybody stands for all owners, and for values that have none.
const anybody = ""

// New returns a program whose sites have no advice yet.
func New(in Input) *Program {
	p := &Program{Input: in, made: map[made]float64{}, known: map[any]any{}}
	for _, s := range in.Sites {
		p.made[made{s.Package, anybody, s.Facts.Type}] += s.Objects
		for _, o := range OwnersOf(s) {
			p.made[made{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
		for _, o := range s.Facts.Above {
			p.made[made{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
	}
	return p
}

// Known returns what a remedy finds out of all sites together. It calls find once for each program
// and key; a key has a type of the remedy's own.
func Known[T any](p *Program, key any, find func() T) T {
	found, ok := p.known[key].(T)
	if !ok {
		found = find()
		p.known[key] = found
	}
	return found
}

// OwnersOf are the owners of a site, each type once.
func OwnersOf(s *site.Site) (all []site.Owner) {
	for _, o := range s.Facts.Owners {
		if !slices.ContainsFunc(all, func(a site.Owner) bool { return a.Type == o.Type }) {
			all = append(all, o)
		}
	}
	return all
}

// Rare is how many values of a type an owner makes for a slab in it to be worth its field: with
// fewer, the first chunks, which are short, are most of them.
const Rare = 50

// Owner is the best owner that nothing speaks against, or nil, and what speaks against the others.
func (p *Program) Owner(s *site.Site) (*site.Owner, []string) {
	var against []string
	for _, o := range OwnersOf(s) {
		reason := p.Against(s, o)
		if reason == "" {
			return &o, against
		}
		against = append(against, reason)
	}
	return nil, against
}

// NoneAbove is why no owner that is yet to come can pay for an allocator: those that callers have
// do not, or the values are few in all. Empty if one may.
func (p *Program) NoneAbove(s *site.Site) (why []string) {
	for _, o := range s.Facts.Above {
		reason := p.Against(s, o)
		if reason == "" {
			return nil
		}
		why = append(why, reason)
	}
	if all := p.made[made{s.Package, anybody, s.Facts.Type}]; all < Rare {
		why = append(why, fmt.Sprintf("all of the package makes %s %s %s; an allocator pays from %d", Number(all), Bare(s.Facts.Type), p.Per(), Rare))
	}
	return why
}

// Handing is the best owner that callers have, who would hand in an allocator of it; nil if
// something speaks against each.
func (p *Program) Handing(s *site.Site) *site.Owner {
	for _, o := range s.Facts.Above {
		if p.Against(s, o) == "" {
			return &o
		}
	}
	return nil
}

// Against is why an owner should not own an allocator for the values of a site, or empty.
func (p *Program) Against(s *site.Site, o site.Owner) string {
	name := Bare(o.Type)
	if reason := o.Unfit(); reason != "" {
		return reason
	}
	if name == Bare(s.Facts.Type) {
		return fmt.Sprintf("%s is such a value itself: each would carry an allocator", name)
	}
	each := p.Each(s, o)
	switch {
	case each >= Rare:
		return ""
	case o.Many() <= 1:
		return fmt.Sprintf("%s makes %s %s %s; an allocator in it pays from %d", name, Number(each), Bare(s.Facts.Type), p.Per(), Rare)
	}
	return fmt.Sprintf("%s is not rare: %s makes %s of them, and each makes %s %s; an allocator in it pays from %d",
		name, p.one(), Number(o.Many()), Number(each), Bare(s.Facts.Type), Rare)
}

// Made is how many values of the site's type owners of this type make in an operation.
func (p *Program) Made(s *site.Site, o site.Owner) float64 {
	return p.made[made{s.Package, o.Type, s.Facts.Type}]
}

// Each is how many values of the site's type one owner makes in its life, or in an operation if it
// lives longer. Where nobody knows how many there are, there is taken to be one, and the estimate
// is void.
func (p *Program) Each(s *site.Site, o site.Owner) float64 {
	return p.Made(s, o) / max(1, o.Many())
}

// Keeper is the owner that can keep a value for reuse: nothing speaks against it, somebody counted
// how many there are, and they are fewer than the values. Nil if a pool has to.
func (p *Program) Keeper(s *site.Site) *site.Owner {
	for _, o := range OwnersOf(s) {
		known := o.Many() > 0 || p.Existing()
		if o.Unfit() == "" && known && o.Many()*2 <= s.Objects && Bare(o.Type) != Bare(s.Facts.Type) {
			return &o
		}
	}
	return nil
}

// Outlived says that the values of a site live longer than what makes them, if that is so: nothing
// knows when they die, one by one, and could use them again. Owners that the profile has not are on
// the stack or are reset, and so one comes after the other.
func (p *Program) Outlived(s *site.Site) string {
	for _, o := range OwnersOf(s) {
		if times := s.Fate.Age * o.Begun; o.Instances <= 0 && o.Unfit() == "" && times > outlives {
			return fmt.Sprintf("%s makes %s %s, and a value lives as long as %s of them: it outlives its maker, and is freed separately",
				p.one(), Number(o.Begun), Bare(o.Type), Number(times))
		}
	}
	return ""
}

// outlives is how many times as long as an owner a value lives that outlives it: a mean age is not
// exact.
const outlives = 4
