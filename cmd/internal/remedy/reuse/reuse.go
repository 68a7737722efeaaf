// Package reuse is the remedy that keeps values that are dead for the next operation.
package reuse

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 7, Name: "temporary", Match: temporary, Do: reuseWords},
	},
	Subject: subject,
	Make:    typedPool,
}

func subject(p *remedy.Program, s *site.Site) string {
	if o := p.Keeper(s); o != nil {
		return o.Type
	}
	return remedy.Local(p, s)
}

// largeValue is how large a value is, in bytes, that is worth handing back by itself.
const largeValue = 128

// temporary is rule 7: large values, maps and buffers that are dead before the operation ends, and
// small ones that an owner makes many of. What outlives its owner is none of these, nor what an
// exported function returns: the benchmark drops it, and a caller may keep it for as long as it
// likes.
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
		return []string{p.Lifetimes(s), fmt.Sprintf("%s makes %s %s %s (%s): one Reset of a slab.Slab in it takes them all back",
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
		if reason := o.Unfit(); reason != "" {
			return append(why, reason+": a pool hands it to one goroutine at a time")
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
