// Package remedy defines remedies. A remedy is a change of the code that makes an allocation site
// cheaper. Each remedy has its own subfolder of this folder and an entry in the list of package
// remedies. All other code iterates over this list, so a new remedy needs no change in coppice
// find, coppice fix or the reports. The package also contains the functions that several remedies
// use to query a program.
package remedy

import (
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Remedy describes one kind of change. It contains the rules, the estimate and the maker.
type Remedy struct {
	Document
	Rules []Rule
	// Removed returns the fraction of malloc's time at a site that the remedy removes. If Removed
	// is nil, the remedy removes all of this time, because the site no longer allocates, or because
	// memory is allocated for many values at a time. The saved work of the collector and the cost
	// of the remedy itself are not included, because across six programs the two were about equal.
	Removed func(*Program, *site.Site) float64
	// Subject returns the name of a change's target, such as an owner, a group of arrays, or the
	// constructors. Sites of a package with the same target form one proposal. If Subject is nil,
	// the target is the function.
	Subject func(*Program, *site.Site) string
	Untyped bool // the title of a proposal names the function, not the types
	ByFate  bool // its estimate is void if the lifetime of the values is unknown
	// Holds adds the reasons that make the estimate of a proposal void, and the conditions under
	// which the estimate holds. It is nil if there are none.
	Holds func(*Program, *site.Estimate, []*site.Site)
	// Owner returns the owner to which the change at a site gives an allocator, scratch space or a
	// value to keep for reuse. It returns nil if there is no owner, or if the owner does not exist
	// yet. The function is nil for remedies without owners.
	Owner func(*Program, *site.Site) *site.Owner
	// Imports returns the import from Coppice that a proposal needs. The function is nil for
	// remedies that import nothing.
	Imports func(*Program, *site.Site) Import
	// Costs returns the price of a proposal, given the price in the document. The function is nil
	// if the price in the document applies to all proposals.
	Costs func(p *Program, sites []*site.Site, price []string) []string

	// Make and Guard are the functions for coppice fix. Make edits the sites that Guard accepts, if
	// the edit is safe. It is nil for remedies that only give advice.
	Make  change.Maker
	Guard change.Guard // nil for all sites
	// Draft writes files for the user to complete, and lists the remaining work. It is nil for
	// remedies without drafts.
	Draft func(*change.Request) (files map[string][]byte, todo []string, err error)
}

// A Rule is a row of coppice find's decision table. The first rule that matches a site determines
// the remedy.
type Rule struct {
	// Rules are tried in the order of Number. A rule may have several rows, which share its Number
	// and are tried in the order of Row, from 1. Row is 0 if there is only one row.
	Number, Row int
	Before      int // if set, the rule is tried before the rules of this number; Number stays its name in reports
	Name        string
	// Match returns the facts that matched, as sentences, or none if the rule does not apply.
	// Reports print these sentences as the reasons.
	Match func(*Program, *site.Site) []string
	Do    func(*Program, *site.Site) string // a short form for tables
}
