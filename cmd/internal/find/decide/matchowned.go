package decide

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// single are the kinds that make one value.
func single(k site.Kind) bool { return k == site.Literal || k == site.New || k == site.Moved }

// inArena tells whether the values of a site can come from an arena: values, slices and strings.
func inArena(s *site.Site) bool {
	switch k := s.Facts.Kind; k {
	case site.MakeSlice, site.Append, site.ToString, site.Concat, site.ToBytes:
		return true
	default:
		return single(k)
	}
}

// arenaType tells types, slices of them, and strings apart.
func arenaType(s *site.Site) string {
	switch s.Facts.Kind {
	case site.ToString, site.Concat:
		return "string"
	case site.MakeSlice, site.Append, site.ToBytes:
		return "[]" + s.Facts.Type
	}
	return s.Facts.Type
}

// An arena is for so many types of values, and slices or strings beside them; for fewer, slabs do.
const arenaValues, arenaLists = 2, 1

// dieTogether is rule 9: an owner makes values of many types, slices or strings among them, and all are dead when the
// operation ends.
func (p *program) dieTogether(s *site.Site) []string {
	o, _ := p.owner(s)
	if o == nil || s.Fate.Main() != "temporary" || !inArena(s) {
		return nil
	}
	types := p.types[owned{s.Package, o.Type}]
	values, lists := 0, 0
	for t := range types {
		if t == "string" || t[:min(2, len(t))] == "[]" {
			lists++
		} else {
			values++
		}
	}
	if values < arenaValues || lists < arenaLists {
		return nil
	}
	return []string{
		fmt.Sprintf("%s makes values of %d types, slices or strings among them", bare(o.Type), values+lists),
		p.lifetimes(s),
		fmt.Sprintf("so one Reset at the end of the operation ends them all (%s)", o.How),
	}
}

// largeValue is how large a value is, in bytes, that is worth handing back by itself.
const largeValue = 128

// temporary is rule 7: large values, maps and buffers that are dead before the operation ends, and small ones that an
// owner makes many of.
func (p *program) temporary(s *site.Site) []string {
	if s.Fate.Main() != "temporary" {
		return nil
	}
	var what string
	switch k := s.Facts.Kind; {
	case k == site.MakeMap:
		what = "a map"
	case s.Facts.Written != "":
		what = "a copy that " + s.Facts.Written + " writes to, so it needs memory of its own"
	case k == site.Call && recycled[callee(s.Facts.Callee)] != "":
		return []string{p.lifetimes(s), s.Facts.Callee + ": " + recycled[callee(s.Facts.Callee)]}
	case !single(k) && k != site.MakeSlice && k != site.Concat:
		return nil
	case size(s) >= largeValue:
		what = fmt.Sprintf("%s of %s bytes in the mean", bare(s.Facts.Type), number(size(s)))
	default:
		o, _ := p.owner(s)
		if o == nil || k == site.Concat {
			return nil
		}
		return []string{p.lifetimes(s), fmt.Sprintf("%s makes %s %s %s (%s): one Reset of a slab.Slab in it takes them all back",
			bare(o.Type), number(p.each(s, *o)), bare(s.Facts.Type), p.per(), o.How)}
	}
	why := []string{p.lifetimes(s), "it is " + what + ": clearing it costs less than making it"}
	if s.Facts.Written != "" {
		why[1] = "it is " + what + ": append(buf[:0], b...) copies into memory that is kept"
	}
	if o := p.keeper(s); o != nil {
		return append(why, fmt.Sprintf("%s can keep it for the next time (%s)", bare(o.Type), o.How))
	}
	for _, o := range ownersOf(s) {
		if reason := o.Unfit(); reason != "" {
			return append(why, reason+": a pool hands it to one goroutine at a time")
		}
	}
	return append(why, "nothing that lives longer could keep it: a pool does")
}

// keeper is the owner that can keep a value for reuse: nothing speaks against it, and there are fewer of it than of
// the values. Nil if a pool has to.
func (p *program) keeper(s *site.Site) *site.Owner {
	for _, o := range ownersOf(s) {
		if o.Unfit() == "" && o.Instances*2 <= s.Objects && bare(o.Type) != bare(s.Facts.Type) {
			return &o
		}
	}
	return nil
}

// longSlice is how long a slice may be, in bytes, to come from a slab: a longer one gets memory of its own.
const longSlice = 384

func slabbed(s *site.Site) bool {
	return single(s.Facts.Kind) || s.Facts.Kind == site.MakeSlice && size(s) <= longSlice
}

// kept tells whether values live as long as the result, or some of them do, or nobody knows.
func kept(s *site.Site) bool {
	fate := s.Fate.Main()
	return fate == "result" || fate == "mixed" || fate == "unknown"
}

func (p *program) ownedResult(s *site.Site) []string {
	o, _ := p.owner(s)
	if o == nil || !slabbed(s) || !kept(s) {
		return nil
	}
	why := []string{fmt.Sprintf("%s %s %s, made by %s", number(p.made[made{s.Package, o.Type, s.Facts.Type}]), bare(s.Facts.Type), p.per(), p.howMany(*o))}
	why = append(why, fmt.Sprintf("%s is at hand: %s; it has no lock, and no other goroutine gets it", bare(o.Type), o.How), p.lifetimes(s))
	return append(why, escapes(s)...)
}

// howMany says how many owners there are.
func (p *program) howMany(o site.Owner) string {
	switch name := bare(o.Type); {
	case o.Instances <= 0:
		if p.existing() {
			return name + ", of which the profiles have none"
		}
		return name + ", of which an operation allocates none"
	case o.Instances <= 1:
		return "one " + name
	default:
		return number(o.Instances) + " " + name
	}
}

// escapes are the compiler's reasons, one at most.
func escapes(s *site.Site) []string {
	for _, e := range s.Facts.Escapes {
		if e.Message != "" {
			return []string{"the compiler: " + e.Message}
		}
	}
	return nil
}

// handedIn is rule 10 where no owner that is at hand will do, and one is that callers have.
func (p *program) handedIn(s *site.Site) []string {
	o := p.handing(s)
	if o == nil || !single(s.Facts.Kind) || !kept(s) || s.Fate.Method == site.Unknown {
		return nil
	}
	return []string{
		fmt.Sprintf("%s %s %s, and callers have %s (%s), which makes %s", number(s.Objects), bare(s.Facts.Type), p.per(), bare(o.Type), o.How, number(p.each(s, *o))),
		fmt.Sprintf("%s has no owner at hand: the slab would be handed in", s.Function), p.lifetimes(s),
	}
}

// constructed is rule 10: no owner is in sight, so one would have to be handed in. A parameter of the values' own
// type, such as the children of a node, is none.
func (p *program) constructed(s *site.Site) []string {
	other := func(o site.Owner) bool { return bare(o.Type) != bare(s.Facts.Type) }
	if slices.ContainsFunc(s.Facts.Owners, other) || !single(s.Facts.Kind) || !kept(s) || s.Fate.Method == site.Unknown || s.Facts.NoSource != "" {
		return nil
	}
	why := []string{fmt.Sprintf("%s makes %s %s %s, and has no struct at hand that could own a slab", s.Function, number(s.Objects), bare(s.Facts.Type), p.per()), p.lifetimes(s)}
	const most = 3
	for i, c := range s.Facts.Callers {
		if i == most {
			why = append(why, fmt.Sprintf("and at %d more places", len(s.Facts.Callers)-most))
			break
		}
		why = append(why, fmt.Sprintf("called at %s:%d, where it would be handed in", base(c.File), c.Line))
	}
	return why
}

// What makes retained values worth leaving the Go heap.
const (
	manyLive  = 1e6
	costsMark = 0.15 // of the CPU time
)

// longLived is what speaks for memory that the collector does not look at, or empty.
func (p *program) longLived(s *site.Site) []string {
	if s.Fate.Main() != "retained" || !single(s.Facts.Kind) {
		return nil
	}
	live := float64(s.InUse)
	if s.Fate.Method == site.Little && p.Unit != "profile" { // whose objects are those of no time
		live = max(live, s.Fate.Age*s.Objects)
	}
	switch mark := p.Classes.Mark + p.Classes.Assist; {
	case live > manyLive:
		return []string{p.lifetimes(s), fmt.Sprintf("about %s of them are live at a time, and each collection looks at all", number(live))}
	case mark > costsMark:
		return []string{p.lifetimes(s), fmt.Sprintf("marking takes %s of the CPU time", percent(mark))}
	}
	return nil
}

func (p *program) record(s *site.Site) []string {
	why := p.longLived(s)
	switch {
	case why == nil:
	case s.Facts.Pointers == site.NoPointers:
		return append(why, bare(s.Facts.Type)+" has no pointers: a store keeps such records outside of the Go heap")
	case s.Facts.Pointers == site.OwnPointers:
		return append(why, bare(s.Facts.Type)+" points to its own type only: in a store these are refs")
	}
	return nil
}

func (p *program) tree(s *site.Site) []string {
	why := p.longLived(s)
	if why == nil || !s.Facts.Recursive {
		return nil
	}
	return append(why, bare(s.Facts.Type)+" is recursive, with strings, slices or other types in it: as a flat tree it is one buffer without pointers")
}
