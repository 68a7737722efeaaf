package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// OwnerHolds adds the reasons that make an estimate void, and the conditions under which it holds.
// It is for remedies that give the owner an allocator. Such remedies pay off only if there are few
// owners, because each owner gets an additional field and a first chunk.
func (p *Program) OwnerHolds(e *site.Estimate, sites []*site.Site) {
	for _, s := range sites {
		owners := OwnersOf(s)
		o, _ := p.Owner(s)
		switch {
		case o == nil && len(owners) == 0:
			OwnerToCome(e)
			return
		case o == nil:
			e.Void = append(e.Void, p.Against(s, owners[0]))
			return
		}
	}
	o, _ := p.Owner(sites[0])
	p.Rarely(e, sites[0], *o)
}

// OwnerToCome adds the condition that applies to an estimate if the owner does not exist yet.
func OwnerToCome(e *site.Estimate) {
	e.If = append(e.If, fmt.Sprintf("the owner that it gets makes %d values or more, and one goroutine at a time uses it", Rare))
}

// Best returns the best existing owner. It can be used as a Remedy.Owner.
func Best(p *Program, s *site.Site) *site.Owner {
	o, _ := p.Owner(s)
	return o
}

// OneGoroutine adds the condition that only one goroutine at a time uses an owner to which a change
// gives an allocator or a value to keep for reuse. The condition is necessary because neither has a
// lock.
func (p *Program) OneGoroutine(e *site.Estimate, owner func(*Program, *site.Site) *site.Owner, sites []*site.Site) {
	for _, s := range sites {
		o := owner(p, s)
		if o == nil {
			continue
		}
		name := Bare(o.Type)
		text := "only one goroutine at a time uses " + article(name)
		if o.Outlives() {
			text += fmt.Sprintf(": %s outlives the operation and may be shared, and then the change is a data race", name)
		}
		if !slices.Contains(e.If, text) {
			e.If = append(e.If, text)
		}
	}
}

// article returns a name with its indefinite article.
func article(name string) string {
	if name != "" && strings.ContainsRune("aeiouAEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// Rarely adds the condition that each owner allocates enough values. If the number of values is
// unknown, it adds the reason that the estimate is void instead.
func (p *Program) Rarely(e *site.Estimate, s *site.Site, o site.Owner) {
	if o.Many() <= 0 && p.Existing() {
		e.Void = append(e.Void, fmt.Sprintf("the profiles have no %s, so it is unknown how many share the values: a benchmark counts them", Bare(o.Type)))
		return
	}
	if o.Many() <= 0 {
		e.Void = append(e.Void, fmt.Sprintf("the number of %s that an operation works with is unknown: it allocates none, and those that live longer or on the stack were not counted", Bare(o.Type)))
		return
	}
	e.If = append(e.If, fmt.Sprintf("each %s makes %d values or more of a type (%s)", Bare(o.Type), Rare, Number(p.Each(s, o))))
}
