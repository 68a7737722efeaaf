package decide

import (
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A rule is a row of the decision table.
type rule struct {
	number int
	name   string
	remedy site.Remedy
	// match returns the facts that matched, as sentences; none if the rule does not apply.
	match func(*program, *site.Site) []string
	do    func(*program, *site.Site) string // in three words
}

// lastRule is the number of the rule that always matches: leave it, for the reasons of reasonToLeave.
const lastRule = 13

// rules is the decision table. The first row that matches decides. Rows of one number are forms of one
// rule. Arena, 9, stands before those for single types: what it asks for is a special case of several of them.
var rules = []rule{
	{0, "the program gains nothing", site.Leave, (*program).nothingToGain, words("leave")},
	{1, "it is the test's own", site.Leave, (*program).inTest, words("leave")},
	{1, "it costs little", site.Leave, (*program).cheap, words("leave")},
	{9, "many types that die together", site.Arena, (*program).dieTogether, inOwner("arena")},
	{2, "the library copies what may be unchanged", site.AvoidCopy, (*program).copyingCall, callWords},
	{2, "a conversion copies what nobody changes", site.AvoidCopy, (*program).copyingConversion, words("avoid the copy")},
	{3, "small arrays side by side", site.OneArray, (*program).sideBySide, words("one backing array")},
	{3, "a small array of fixed length", site.Inline, (*program).fixedArray, words("array in struct")},
	{4, "growth to a known length", site.Presize, (*program).knownLength, words("presize")},
	{5, "growth to a few values", site.Inline, (*program).shortGrowth, words("inline.Vec")},
	{5, "growth in each of many structs", site.Presize, (*program).growthOfMany, words("presize")},
	{5, "growth to an unknown length", site.Scratch, (*program).growth, scratchWords},
	{6, "strings that repeat", site.Intern, (*program).repeats, words("intern")},
	{6, "strings that are kept", site.AvoidCopy, (*program).keptStrings, words("share the input")},
	{7, "temporary", site.Reuse, (*program).temporary, reuseWords},
	{8, "values of a result, with an owner", site.Slab, (*program).ownedResult, inOwner("slab")},
	{10, "values of a result, whose callers have an owner", site.Slab, (*program).handedIn, handedWords},
	{10, "values of a result, from constructors", site.Slab, (*program).constructed, words("slab, needs parameter")},
	{11, "retained, without pointers", site.Store, (*program).record, words("store")},
	{11, "retained, recursive", site.Flat, (*program).tree, words("flat tree")},
	{12, "a value in an interface", site.Concrete, (*program).boxed, words("concrete type")},
}

func words(do string) func(*program, *site.Site) string {
	return func(*program, *site.Site) string { return do }
}

// inOwner names the owner.
func inOwner(what string) func(*program, *site.Site) string {
	return func(p *program, s *site.Site) string {
		if o, _ := p.owner(s); o != nil {
			return what + " in " + bare(o.Type)
		}
		return what
	}
}

func handedWords(p *program, s *site.Site) string {
	return "slab in " + bare(p.handing(s).Type) + ", needs parameter"
}

func callWords(_ *program, s *site.Site) string {
	return "avoid the copy (" + bare(s.Facts.Callee) + ")"
}

func scratchWords(_ *program, s *site.Site) string {
	if s.Fate.Main() == "temporary" {
		return "scratch slice"
	}
	return "scratch + slab.Make"
}

func reuseWords(p *program, s *site.Site) string {
	if o := p.keeper(s); o != nil {
		return "reuse in " + bare(o.Type)
	}
	return "pool.Pool"
}
