// Package remedy says what a remedy is: something that can be done about places that allocate. Each
// has a folder below this one, and a line in package remedies, over which everything else iterates.
// What remedies ask of a program stands here, too.
package remedy

import (
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Remedy is what can be done about a site.
type Remedy struct {
	Document
	Rules []Rule
	// Removed is which part of malloc's time at a site it takes away; nil for all of it: nothing is
	// allocated or grows any more, or the memory is got for many values at a time. What the
	// collector saves by it, and what the remedy itself takes, is in none of these: over six
	// programs the two came to the same.
	Removed func(*Program, *site.Site) float64
	// Subject is what one change is about, of the sites of a package: an owner, a group of arrays,
	// the constructors; nil for a function.
	Subject func(*Program, *site.Site) string
	Untyped bool // the title of a proposal says in which function, and not for which types
	ByFate  bool // its estimate is void where nobody knows how long the values live
	// Holds fills in what else makes the estimate of a proposal void, and under which conditions it
	// holds; nil for nothing.
	Holds func(*Program, *site.Estimate, []*site.Site)
	// Costs is the price of a proposal, given that of the document; nil where the two are the same.
	Costs func(p *Program, sites []*site.Site, price []string) []string

	// What coppice fix does. Make carries the remedy out where it is safe, of the sites that Guard
	// leaves; it is nil where a person has to.
	Make  change.Maker
	Guard change.Guard // nil for all sites
	// Draft writes files for a person to go on from, and says what there is to do; nil where there
	// is nothing to write.
	Draft func(*change.Request) (files map[string][]byte, todo []string, err error)
}

// A Rule is a row of the decision table of coppice find. The first one that matches a site decides.
type Rule struct {
	// Rules are tried in the order of their numbers. Rows of one number are forms of one rule, and
	// are tried in the order of Row, from 1; it is 0 where there is no other.
	Number, Row int
	Before      int // the number before whose rules this one is tried already; 0 for none
	Name        string
	// Match returns the facts that matched, as sentences; none if the rule does not apply.
	Match func(*Program, *site.Site) []string
	Do    func(*Program, *site.Site) string // in three words
}
