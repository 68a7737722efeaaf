// Package firstroom is the remedy that allocates a measured capacity when a slice gets its first
// element:
//
//	l.tokens = append(l.tokens, next)
//
// becomes
//
//	if cap(l.tokens) == 0 {
//		l.tokens = slices.Grow(l.tokens, 32)
//	}
//	l.tokens = append(l.tokens, next)
//
// The function choose determines the capacity from the heap profile, which counts the arrays of
// each size that the slices had while they grew.
//
// No expression of the program gives the length, so the remedy presize does not apply. Still, most
// slices of the measured input reach about the same length, and the arrays before the last one are
// garbage. A slice that gets no elements still allocates nothing and remains nil. If the appended
// value is computed, the edit assigns it to a variable before the if statement. The computation may
// panic, and then the slice must be unchanged.
//
// The maker leaves the slice unchanged if
//
//   - a second variable may refer to the slice while it grows, because the struct that contains it
//     is copied or is part of another struct, or because the slice is passed on early. Both
//     variables would append to one array, whereas before each had its own array;
//   - the owner is not confined to one call;
//   - append may get no elements, as in append(s, more...);
//   - the appended value would have a different type if it were assigned to a variable.
package firstroom

import (
	_ "embed"
	"fmt"
	"regexp"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 5, Row: 2, Name: "growth to measured lengths", Match: growth, Do: describe},
	},
	Removed: removed,
	Subject: remedy.Local,
	Make:    firstRoom,
}

// growth implements rule 5 for slices that cannot use scratch space. Such a slice is a field, a
// variable to which a function literal appends, or a variable without an owner.
func growth(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Grows == nil && len(s.Facts.Owners) > 0 && !inLiteral.MatchString(s.Function) {
		return nil
	}
	r, ok := roomOf(p, s)
	if !ok {
		return nil
	}
	slices := "slices"
	if r.lists == 1 {
		slices = "slice"
	}
	lengths := fmt.Sprintf("%s get no more than %d %s", remedy.Percent(r.fit), r.n, remedy.Bare(s.Facts.Type))
	switch {
	case r.fit < nearlyNone:
		lengths = fmt.Sprintf("all get more than %d %s, up to room for %d", r.n, remedy.Bare(s.Facts.Type), r.most)
	case r.most > r.n:
		lengths += fmt.Sprintf(", and the longest have room for %d", r.most)
	}
	return []string{
		fmt.Sprintf("append grows %s %s %s from nothing; %s", remedy.Number(r.lists), slices, p.Per(), lengths),
		fmt.Sprintf("with room for %d at first they take %s of the bytes and %s of the objects", r.n, remedy.Percent(r.bytes), remedy.Percent(r.objects)),
	}
}

// inLiteral matches the names that the linker gives to function literals.
var inLiteral = regexp.MustCompile(`\.func\d+`)

func describe(p *remedy.Program, s *site.Site) string {
	r, _ := roomOf(p, s)
	return fmt.Sprintf("first room: %d", r.n)
}

// removed returns the mean of two fractions: the removed objects and the removed bytes. Growth
// takes time for both.
func removed(p *remedy.Program, s *site.Site) float64 {
	r, ok := roomOf(p, s)
	if !ok {
		return 0
	}
	return max(0, 1-(r.bytes+r.objects)/2)
}

// roomOf returns the first capacity for the slice of a site. If the slice is a field, several sites
// may append to it. In that case, the counts of their arrays are added up for each size. The second
// result is false if no capacity helps.
func roomOf(p *remedy.Program, s *site.Site) (room, bool) {
	lists := [][]site.Size{s.Sizes}
	for _, other := range p.Sites {
		a, b := s.Facts.Grows, other.Facts.Grows
		if other != s && a != nil && b != nil && other.Package == s.Package && a.Type == b.Type && a.How == b.How {
			lists = append(lists, other.Sizes)
		}
	}
	return choose(site.Together(lists...), s.Facts.Size)
}
