// Package reuse is the remedy for values that are dead before the operation ends. The next
// operation reuses their memory. The maker carries out only one variant of this remedy, in which a
// typed pool replaces a sync.Pool with type assertions:
//
//	var states = sync.Pool{New: func() any { return new(state) }}
//	s := states.Get().(*state)
//	defer states.Put(s)
//
// becomes
//
//	var states = pool.Pool[state]{Options: pool.Options[state]{
//		Reset: func(*state) {}, // values come back as they were put
//	}}
//	s := states.Get()
//	defer states.Put(s)
//
// If each Put follows a call to the value's method Reset, the pool calls Reset itself, and the edit
// removes these calls.
//
// The compiler checks the types in calls to Get and Put. With -race, the pool panics if a value is
// put twice or is written to after Put. Reset is an empty function because a pool.Pool without a
// Reset function clears the values, and the program may rely on what an earlier use left in them.
//
// The other variants are only advice, because only a person knows where a value is dead. They are a
// field of the owner that is reused with buf[:0], a new pool, and a slab with a Reset.
//
// The maker leaves a pool unchanged if
//
//   - the module does not require Coppice;
//   - New may return nil, has a named result, defers a call, or creates values of several types;
//   - the pool is exported, or a different file or the linker may use it;
//   - a value has a lock or an atomic variable, which may be in use after Put.
package reuse

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 7, Name: "temporary", Match: temporary, Do: reuseWords},
	},
	Subject: subject,
	Owner:   owner,
	Imports: imports,
	Make:    typedPool,
}

// owner returns the owner that keeps the value, or that gets a slab for many small values. It
// returns nil if a pool keeps the value.
func owner(p *remedy.Program, s *site.Site) *site.Owner {
	if o := p.Keeper(s); o != nil || !slabbed(s) {
		return o
	}
	return remedy.Best(p, s)
}

// slabbed reports whether the values of a site are too small to be kept individually, so that a
// slab should keep them.
func slabbed(s *site.Site) bool {
	return (remedy.Single(s.Facts.Kind) || s.Facts.Kind == site.MakeSlice) && s.Facts.Written == "" && remedy.Size(s) < largeValue
}

func imports(p *remedy.Program, s *site.Site) remedy.Import {
	switch {
	case slabbed(s):
		return remedy.Import{What: "slab.Slab"}
	case p.Keeper(s) == nil:
		return remedy.Import{What: "pool.Pool", Instead: "a sync.Pool needs no dependency"}
	}
	return remedy.Import{}
}

func subject(p *remedy.Program, s *site.Site) string {
	if o := p.Keeper(s); o != nil {
		return o.Type
	}
	return remedy.Local(p, s)
}

// largeValue is the minimum size, in bytes, of a value that is worth reusing even if its owner
// allocates only one.
const largeValue = 128

// temporary implements rule 7. It matches large values, maps and buffers that are dead before the
// operation ends, and small values if an owner allocates many of them. Values that outlive their
// owner are excluded. Results of exported functions are excluded, too: the benchmark drops them,
// but a different caller may keep them.
func temporary(p *remedy.Program, s *site.Site) []string {
	if s.Fate.Main() != "temporary" || p.Outlived(s) != "" || s.Facts.Result || s.Facts.Returned != "" && p.Keeper(s) == nil {
		return nil
	}
	var what string
	switch k := s.Facts.Kind; {
	case k == site.MakeMap:
		what = "a map"
	case s.Facts.Written != "":
		what = "a copy that " + s.Facts.Written + " writes to, so it needs memory of its own"
	case k == site.Call && recycled[remedy.Callee(s.Facts.Callee)] != "":
		return []string{p.Lifetimes(s), s.Facts.Callee + ": " + recycled[remedy.Callee(s.Facts.Callee)]}
	case !remedy.Single(k) && k != site.MakeSlice && k != site.Concat:
		return nil
	case remedy.Size(s) >= largeValue:
		what = fmt.Sprintf("%s of %s bytes on average", remedy.Bare(s.Facts.Type), remedy.Number(remedy.Size(s)))
	default:
		o, _ := p.Owner(s)
		if o == nil || k == site.Concat {
			return nil
		}
		return []string{p.Lifetimes(s), fmt.Sprintf("%s makes %s %s %s (%s): one Reset of a slab.Slab in it frees them all",
			remedy.Bare(o.Type), remedy.Number(p.Each(s, *o)), remedy.Bare(s.Facts.Type), p.Per(), o.How)}
	}
	why := []string{p.Lifetimes(s), "it is " + what + ": clearing it costs less than making it"}
	if s.Facts.Written != "" {
		why[1] = "it is " + what + ": append(buf[:0], b...) copies into memory that is kept"
	}
	if o := p.Keeper(s); o != nil {
		return append(why, fmt.Sprintf("%s can keep it for the next time (%s)", remedy.Bare(o.Type), o.How))
	}
	for _, o := range remedy.OwnersOf(s) {
		if name := remedy.Bare(o.Type); o.Unfit() != "" && name != remedy.Bare(s.Facts.Type) { // a value cannot be kept in itself
			return append(why, fmt.Sprintf("a pool keeps it, not %s: %s", name, o.Unfit()))
		}
	}
	return append(why, "nothing that lives longer could keep it: a pool does")
}

func reuseWords(p *remedy.Program, s *site.Site) string {
	if o := p.Keeper(s); o != nil {
		return "reuse in " + remedy.Bare(o.Type)
	}
	return "pool.Pool"
}
