package remedy

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Input contains the results of coppice find's other stages.
type Input struct {
	Op site.Op
	// Unit is the name of one operation of the target. For existing profiles, it is "profile" or
	// "second". In that case, ages are in seconds, and no setting can be measured.
	Unit     string
	Classes  site.Classes
	Ceiling  *site.Setting  // what turning off the collector saves; nil if that was not measured
	Settings []site.Setting // what one line saves: GOGC=400
	Sites    []*site.Site   // in any order; package decide fills in the Advice of each
	// Next contains the arguments of coppice prove that select the target: -bench
	// '^BenchmarkParse$' ./html, or two commands after --
	Next string
	// Go is the version that was measured, such as go1.26.8. Newest is the newest known version, or
	// "" if that version was measured.
	Go, Newest string
	Module     change.Module // of the target
}

// A Program contains the input and the facts that are derived from all of its sites. The functions
// of a remedy get it together with a single site.
type Program struct {
	Input
	made  map[valuesKey]float64 // objects per operation, by possible owner
	known map[any]any           // results of Known
}

// valuesKey is the key for the number of values of type typ that owners of type owner allocate.
type valuesKey struct{ pkg, owner, typ string }

// allOwners is used as the owner in the keys for all values of a type, whether they have an owner
// or not.
const allOwners = ""

// New returns the program for an input. Its sites have no advice yet.
func New(in Input) *Program {
	p := &Program{Input: in, made: map[valuesKey]float64{}, known: map[any]any{}}
	for _, s := range in.Sites {
		p.made[valuesKey{s.Package, allOwners, s.Facts.Type}] += s.Objects
		for _, o := range OwnersOf(s) {
			p.made[valuesKey{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
		for _, o := range s.Facts.Above {
			p.made[valuesKey{s.Package, o.Type, s.Facts.Type}] += s.Objects
		}
	}
	return p
}

// Known returns a value that a remedy computes from all sites together. It calls the function find,
// which computes the value, once for each program and key, and caches the result. The rules are
// evaluated for each site, so without this cache a rule that inspects all sites would take
// quadratic time. Each remedy uses its own type for the key.
func Known[T any](p *Program, key any, find func() T) T {
	found, ok := p.known[key].(T)
	if !ok {
		found = find()
		p.known[key] = found
	}
	return found
}

// OwnersOf returns the owners of a site. Each type occurs only once.
func OwnersOf(s *site.Site) (all []site.Owner) {
	for _, o := range s.Facts.Owners {
		if !slices.ContainsFunc(all, func(a site.Owner) bool { return a.Type == o.Type }) {
			all = append(all, o)
		}
	}
	return all
}

// Rare is the minimum number of values of a type that an owner must allocate for a slab to pay off.
// With fewer values, most chunks are first chunks, which are short. The slab then saves little, but
// each owner still contains the additional field.
const Rare = 50

// Owner returns the best owner to which there is no objection, or nil if there is none. It also
// returns the objections to the other owners. An owner whose lifetime begins in the operation is
// preferred to an owner that outlives the operation, because goroutines may share the latter.
func (p *Program) Owner(s *site.Site) (best *site.Owner, against []string) {
	for _, o := range OwnersOf(s) {
		if reason := p.Against(s, o); reason != "" {
			against = append(against, reason)
		} else if best == nil || best.Outlives() && !o.Outlives() {
			best = &o
		}
	}
	return best, against
}

// NoneAbove returns the reasons that an allocator in a new owner cannot pay off: there is an
// objection to each owner in the callers, or the package allocates too few values. The result is
// empty if an allocator may pay off.
func (p *Program) NoneAbove(s *site.Site) (why []string) {
	for _, o := range s.Facts.Above {
		reason := p.Against(s, o)
		if reason == "" {
			return nil
		}
		why = append(why, reason)
	}
	if all := p.made[valuesKey{s.Package, allOwners, s.Facts.Type}]; all < Rare {
		why = append(why, fmt.Sprintf("the whole package makes %s %s %s; an allocator pays from %d", Number(all), Bare(s.Facts.Type), p.Per(), Rare))
	}
	return why
}

// Handing returns an owner whose allocator the callers could pass to the function of a site. It
// returns the owner in the nearest caller, or nil if there is an objection to each owner in the
// callers.
func (p *Program) Handing(s *site.Site) *site.Owner {
	for _, o := range s.Facts.Above {
		if p.Against(s, o) == "" {
			return &o
		}
	}
	return nil
}

// Against returns the objection to an allocator in the given owner for the values of a site, or ""
// if there is none.
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
	case o.Outlives() && o.Sharing() > 1:
		return fmt.Sprintf("the set-up makes %s %s, and each makes %s %s %s; an allocator in it pays from %d", Number(o.SetUp), name, Number(each), Bare(s.Facts.Type), p.Per(), Rare)
	case o.Many() <= 1:
		return fmt.Sprintf("%s makes %s %s %s; an allocator in it pays from %d", name, Number(each), Bare(s.Facts.Type), p.Per(), Rare)
	}
	return fmt.Sprintf("%s is not rare: %s makes %s of them, and each makes %s %s; an allocator in it pays from %d",
		name, p.perUnit(), Number(o.Many()), Number(each), Bare(s.Facts.Type), Rare)
}

// Made returns the number of values of the site's type that owners of the given owner's type
// allocate in an operation.
func (p *Program) Made(s *site.Site, o site.Owner) float64 {
	return p.made[valuesKey{s.Package, o.Type, s.Facts.Type}]
}

// Each returns the number of values of the site's type that one owner allocates in its lifetime, or
// in an operation if the owner lives longer. If the number of owners is unknown, Each assumes one
// owner, and the estimate is void.
func (p *Program) Each(s *site.Site, o site.Owner) float64 {
	return p.Made(s, o) / o.Sharing()
}

// Keeper returns the owner that can keep a value for reuse. The type of the owner must be suitable,
// values of that type must have been counted, and there must be at most half as many owners as
// values of the site. Keeper returns nil if only a pool can keep the value. As in Owner, an owner
// whose lifetime begins in the operation is preferred.
func (p *Program) Keeper(s *site.Site) (best *site.Owner) {
	for _, o := range OwnersOf(s) {
		known := o.Many() > 0 || p.Existing()
		many := o.Many()
		if o.Outlives() && o.SetUp > 1 {
			many = o.SetUp
		}
		fit := o.Unfit() == "" && known && many*2 <= s.Objects && Bare(o.Type) != Bare(s.Facts.Type)
		if fit && (best == nil || best.Outlives() && !o.Outlives()) {
			best = &o
		}
	}
	return best
}

// Crowded returns a reason if, for each type of owner, the number of owners is more than half the
// number of arrays of a growing slice. In that case, an array that an owner keeps is never reused.
// It returns "" if there is no owner, or if some type has fewer owners.
func (p *Program) Crowded(s *site.Site) string {
	all := OwnersOf(s)
	if len(all) == 0 || slices.ContainsFunc(all, func(o site.Owner) bool { return o.Many()*2 <= s.Objects }) {
		return ""
	}
	return fmt.Sprintf("there are as many %s as slices (%s %s): a slice that one of them keeps is never reused", Bare(all[0].Type), Number(all[0].Many()), p.Per())
}

// Outlived returns a reason if the values of a site live longer than their owner, and "" otherwise.
// An owner cannot tell when such a value is dead and may be reused. Owners that are not in the
// profile are on the stack or are reset, so they exist one after another.
func (p *Program) Outlived(s *site.Site) string {
	for _, o := range OwnersOf(s) {
		if times := s.Fate.Age * o.Begun; o.Instances <= 0 && o.Unfit() == "" && times > outlives {
			return fmt.Sprintf("%s makes %s %s, and a value lives as long as %s of them: it outlives its maker, and is freed separately",
				p.perUnit(), Number(o.Begun), Bare(o.Type), Number(times))
		}
	}
	return ""
}

// outlives is the factor by which the mean age of a value must exceed the mean age of its owner
// before the value is considered to outlive the owner. Mean ages are inexact, so a factor near 1
// proves nothing.
const outlives = 4
