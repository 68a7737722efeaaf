// Package remedies contains the list of remedies. Each remedy has a folder beside the folder of
// this package, and an entry in the list. Reports show the remedies in the order of the list. Rules
// are tried in the order of their numbers.
package remedies

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/arena"
	"github.com/coppice-go/coppice/cmd/internal/remedy/avoidcopy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/checkfirst"
	"github.com/coppice-go/coppice/cmd/internal/remedy/concrete"
	"github.com/coppice-go/coppice/cmd/internal/remedy/firstroom"
	"github.com/coppice-go/coppice/cmd/internal/remedy/flat"
	"github.com/coppice-go/coppice/cmd/internal/remedy/format"
	"github.com/coppice-go/coppice/cmd/internal/remedy/inline"
	"github.com/coppice-go/coppice/cmd/internal/remedy/intern"
	"github.com/coppice-go/coppice/cmd/internal/remedy/leave"
	"github.com/coppice-go/coppice/cmd/internal/remedy/onearray"
	"github.com/coppice-go/coppice/cmd/internal/remedy/presize"
	"github.com/coppice-go/coppice/cmd/internal/remedy/reuse"
	"github.com/coppice-go/coppice/cmd/internal/remedy/scratch"
	"github.com/coppice-go/coppice/cmd/internal/remedy/slab"
	"github.com/coppice-go/coppice/cmd/internal/remedy/store"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// all lists the remedies, in the order of reports and documents.
var all = []*remedy.Remedy{
	leave.Remedy,
	avoidcopy.Remedy,
	format.Remedy,
	checkfirst.Remedy,
	onearray.Remedy,
	presize.Remedy,
	firstroom.Remedy,
	scratch.Remedy,
	inline.Remedy,
	intern.Remedy,
	reuse.Remedy,
	slab.Remedy,
	arena.Remedy,
	store.Remedy,
	flat.Remedy,
	concrete.Remedy,
}

// rules is the decision table, which Rules returns.
var rules = table()

// A Rule is a row of the decision table, with its remedy.
type Rule struct {
	remedy.Rule
	Remedy *remedy.Remedy
}

// Rules returns coppice find's decision table. The first row that matches a site determines the
// remedy. Callers must not change the result.
func Rules() []Rule { return rules }

// table returns the rules of all remedies, sorted in the order in which they are tried.
func table() (rules []Rule) {
	for _, r := range all {
		for _, rule := range r.Rules {
			rules = append(rules, Rule{rule, r})
		}
	}
	// Rules are tried in the order of their numbers. A rule whose Before is set is tried ahead of
	// the first row with that number.
	place := func(r Rule) (number, row int) {
		if r.Before > 0 {
			return r.Before, -1
		}
		return r.Number, r.Row
	}
	slices.SortStableFunc(rules, func(a, b Rule) int {
		numberA, rowA := place(a)
		numberB, rowB := place(b)
		return cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(rowA, rowB))
	})
	return rules
}

// All returns all remedies, in the order of reports. The caller owns the result.
func All() []*remedy.Remedy { return slices.Clone(all) }

// Of returns the remedy with the given name, or nil if there is none.
func Of(name site.Remedy) *remedy.Remedy {
	if i := slices.IndexFunc(all, func(r *remedy.Remedy) bool { return r.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// Can reports whether coppice fix can carry out a remedy. If so, it changes only the sites where
// that is safe.
func Can(name site.Remedy) bool {
	r := Of(name)
	return r != nil && r.Make != nil
}

// Make makes the change of a remedy, for the sites that may be changed without knowledge of the
// program. If there is no change, it returns a Refused error with the reason.
func Make(ctx context.Context, name site.Remedy, r change.Request) (*change.Change, error) {
	if !Can(name) {
		return nil, change.Refused{Why: fmt.Sprintf("%s is advice only: the change is a decision to make by hand", name)}
	}
	by := Of(name)
	r.Make, r.Guard = by.Make, by.Guard
	return change.Make(ctx, r)
}
