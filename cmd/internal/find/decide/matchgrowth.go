package decide

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

func (p *program) knownLength(s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Known == "" {
		return nil
	}
	return []string{"append grows the slice, and its final length is known before: " + s.Facts.Known}
}

const (
	// few values are what inline.Vec has room for, and fewBytes is how much they may take in the struct around them.
	few      = 4
	fewBytes = 64
	// fewGrowths is the mean capacity where a slice grows to few values: of 1, 2 and 4.
	fewGrowths = (1 + 2 + 4) / 3.0
)

// shortGrowth is rule 5 for slices of at most few values that are fields of a struct.
func (p *program) shortGrowth(s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Grows == nil || s.Facts.Size <= 0 || few*s.Facts.Size > fewBytes || s.Objects <= 0 {
		return nil
	}
	mean := size(s) / float64(s.Facts.Size)
	if fate := s.Fate.Main(); fate == "temporary" || fate == "unknown" || mean > fewGrowths {
		return nil
	}
	return []string{
		fmt.Sprintf("append grows the slice to %s %s in the mean: few have more than %d", number(mean), bare(s.Facts.Type), few),
		fmt.Sprintf("inline.Vec holds %d in the struct, in %d bytes", few, few*s.Facts.Size),
	}
}

// fewHolders is how many structs with a slice as a field an operation may make for one scratch slice to serve them.
const fewHolders = 10

// growthOfMany is rule 5 for slices that are fields of structs of which there are many: each has a slice of its own, which
// nothing can empty while the struct is in use. What a loop builds is put together elsewhere, and copied.
func (p *program) growthOfMany(s *site.Site) []string {
	g := s.Facts.Grows
	if s.Facts.Kind != site.Append || g == nil || s.Facts.Loop || g.Instances <= fewHolders || s.Fate.Main() == "retained" {
		return nil
	}
	return []string{
		fmt.Sprintf("each of %s %s has a slice of its own (%s), which grows %s times in the mean", number(g.Instances), bare(g.Type), g.How, number(s.Objects/g.Instances)),
		p.lifetimes(s),
		"what it grew from is garbage: where a limit or a usual length is known, make room for so many at first",
	}
}

func (p *program) growth(s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Fate.Main() == "retained" {
		return nil
	}
	why := []string{"append grows the slice, and nothing knows its final length before"}
	switch s.Fate.Main() {
	case "unknown":
	case "temporary":
		why = append(why, p.lifetimes(s), "a slice that is emptied and kept (s = s[:0]) grows once")
	default:
		why = append(why, p.lifetimes(s), "what it grew from is garbage; a scratch slice that is kept grows once, and what is held is copied at its length")
	}
	return why
}

// repeated is the part of strings that differ below which a table of them pays.
const repeated = 0.5

func distinct(s *site.Site) (part float64, ok bool) {
	v := s.Facts.Values
	if v == nil || v.Looked <= 0 {
		return 0, false
	}
	return float64(v.Distinct) / float64(v.Looked), true
}

func (p *program) repeats(s *site.Site) []string {
	part, ok := distinct(s)
	if s.Facts.Kind != site.ToString || !ok || part >= repeated {
		return nil
	}
	v := s.Facts.Values
	return []string{fmt.Sprintf("of %d strings %d differ: a table hands out the rest", v.Looked, v.Distinct), p.lifetimes(s)}
}

func (p *program) keptStrings(s *site.Site) []string {
	if s.Facts.Kind != site.ToString || s.Fate.Main() != "result" || s.Facts.Refilled != "" {
		return nil
	}
	why := []string{"string(b) copies a part of the input, and the copy is kept with the result"}
	if part, ok := distinct(s); ok {
		why = append(why, fmt.Sprintf("%s of the strings differ: a table would not help", percent(part)))
	} else {
		why = append(why, "nobody counted how many differ; if few do, intern them instead")
	}
	return append(why, "where the input is a string, or nobody changes it, a part of it is a string without a copy")
}

// lifetimes says the fate in fractions, and how it was found.
func (p *program) lifetimes(s *site.Site) string {
	f := s.Fate
	if p.existing() && f.Age > 0 {
		return aged(f)
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
		text += percent(part.part) + " " + part.what
	}
	return text + " (" + string(f.Method) + ")"
}
