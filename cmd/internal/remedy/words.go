package remedy

import (
	"fmt"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Bare returns the name of a type without its package and without a leading * or [].
func Bare(typ string) string {
	typ = strings.TrimLeft(typ, "*[]")
	if i := strings.IndexByte(typ, '['); i >= 0 { // of a generic type
		return Bare(typ[:i]) + typ[i:]
	}
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		return typ[i+1:]
	}
	return typ
}

// Number formats a count. Counts below 10 have three significant digits, and larger counts have no
// decimals.
func Number(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// Percent formats a fraction as a percentage.
func Percent(part float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*part), ".0") + " %"
}

// Existing reports whether the input consists of existing profiles. Such profiles contain no
// operations, so temporary values and results cannot be distinguished, and no setting was measured.
func (p *Program) Existing() bool { return p.Unit == "profile" || p.Unit == "second" }

// Per returns the unit of counts, which is "per operation", "per second" or "per process".
func (p *Program) Per() string {
	_, unit, _ := strings.Cut(p.perUnit(), " ")
	return "per " + unit
}

// perUnit returns the unit of counts with its article, such as "an operation".
func (p *Program) perUnit() string {
	switch p.Unit {
	case "second":
		return "a second"
	case "profile":
		return "a process"
	}
	return "an operation"
}

// Aged describes the mean age of values, which is in seconds.
func Aged(f site.Fate) string {
	return fmt.Sprintf("the values live %s on average", figure.Scaled(f.Age, benchunit.Decimal, "s"))
}

// Lifetimes describes the lifetimes of the values as fractions, and how they were measured.
func (p *Program) Lifetimes(s *site.Site) string {
	f := s.Fate
	if p.Existing() && f.Age > 0 {
		return Aged(f)
	}
	if f.Method == site.Unknown {
		return "how long the values live is not known"
	}
	text := ""
	for _, part := range []struct {
		part float64
		what string
	}{{f.Temporary, "are dead before the operation ends"}, {f.Result, "live as long as its result"}, {f.Retained, "live longer"}} {
		if part.part < 0.005 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += Percent(part.part) + " " + part.what
	}
	return text + " (" + string(f.Method) + ")"
}

// Words returns a function for Rule.Do that always returns the given string.
func Words(do string) func(*Program, *site.Site) string {
	return func(*Program, *site.Site) string { return do }
}

// InOwner returns a function for Rule.Do that returns the string what, with the owner's name
// appended if there is an owner.
func InOwner(what string) func(*Program, *site.Site) string {
	return func(p *Program, s *site.Site) string {
		if o, _ := p.Owner(s); o != nil {
			return what + " in " + Bare(o.Type)
		}
		return what
	}
}

// Typed is a Remedy.Subject for remedies that make one change for each type.
func Typed(_ *Program, s *site.Site) string { return s.Facts.Type }

// Local is a Remedy.Subject for remedies that make one change for each type in each function.
func Local(_ *Program, s *site.Site) string { return s.Declared() + " " + s.Facts.Type }
