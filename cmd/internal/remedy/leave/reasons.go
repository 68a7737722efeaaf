package leave

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// reasonToLeave returns the reasons why a site is left unchanged if no other rule matches.
func reasonToLeave(p *remedy.Program, s *site.Site) (why []string) {
	_, against := p.Owner(s)
	fate := s.Fate.Main()
	if len(against) == 0 && fate != "temporary" {
		against = p.NoneAbove(s)
	}
	switch k := s.Facts.Kind; {
	case s.Facts.NoSource != "":
		return []string{"no facts from the source: " + s.Facts.NoSource}
	case remedy.Single(k) && len(against) > 0 && fate != "retained":
		why = against
		if outlived := p.Outlived(s); outlived != "" {
			why = append(why, outlived)
		}
	case remedy.Single(k) && fate == "retained":
		why = append(why, p.Lifetimes(s), fmt.Sprintf("marking takes %s of the CPU time: too little to leave the Go heap for", remedy.Percent(p.Classes.Mark+p.Classes.Assist)))
	case p.Existing() && fate == "unknown" && s.Fate.Age > 0:
		why = append(why, p.Lifetimes(s), "profiles do not show whether that is longer than an operation")
	case fate == "unknown" && k != site.Closure && k != site.Goroutine && k != site.Variadic:
		why = append(why, "how long the values live is not known, but the remedy depends on it")
	case k == site.Append && fate != "retained" && p.Crowded(s) != "":
		return append(why, p.Lifetimes(s), p.Crowded(s))
	case fate == "temporary" && p.Outlived(s) != "":
		why = append(why, p.Lifetimes(s), p.Outlived(s))
	case fate == "temporary" && s.Facts.Returned != "":
		why = append(why, p.Lifetimes(s), "a caller may get it from "+s.Facts.Returned+", which is exported, and keep it: it cannot be reused")
	case fate == "temporary":
		why = append(why, p.Lifetimes(s), "it is small, and nothing that outlives it could keep it for reuse: only another design avoids it, such as values that are passed on one at a time")
	default:
		why = append(why, p.Lifetimes(s))
	}
	if r := s.Facts.Refilled; r != "" {
		return append(why, "the bytes are in a buffer that is filled again from "+r+": a part of it cannot be shared")
	}
	return append(why, ofKind(s)...)
}

// ofKind returns a remark about the expression of a site if no rule applies to expressions of its
// kind, and none otherwise.
func ofKind(s *site.Site) []string {
	switch s.Facts.Kind {
	case site.Call:
		return []string{"it is allocated inside " + s.Facts.Callee + ", which has no known cheaper form"}
	case site.MakeSlice:
		return []string{"a slice that is long, or that no owner makes often, is best allocated separately"}
	case site.MakeMap:
		return []string{"a map that is kept has no cheaper form; a capacity saves its growth where the count is known"}
	case site.Append:
		return []string{"what is retained grows rarely, and its final length is unknown"}
	case site.Concat:
		return []string{"a concatenation allocates once, for all its parts; if several statements make one string, a strings.Builder allocates less often"}
	case site.ToString, site.ToBytes:
		return []string{"the copy is kept, and what it was copied from may change"}
	case site.Closure:
		return []string{"a function literal that escapes takes its variables with it; a method or parameters instead are a matter of taste"}
	case site.Variadic:
		return []string{"the slice of a variadic call escapes; a form without variadic parameters needs none"}
	case site.MakeChan:
		return []string{"a channel that escapes needs memory; one that is kept can be reused"}
	case site.Goroutine:
		return []string{"a goroutine needs memory; fewer, longer goroutines need less"}
	case site.Other, "":
		return []string{"the form of the expression is unknown"}
	}
	return nil
}
