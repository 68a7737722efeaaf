package tidy

import (
	"go/ast"
	"slices"
)

// An allowance permits some functions to have parameters that a rule forbids, and states the
// reason.
type allowance struct {
	why   string
	names []string
}

// longListsAllowed contains the functions that may have long parameter lists.
var longListsAllowed = []allowance{
	{"a struct would be written to memory for each record, which is checked or moved in registers",
		[]string{"cache.shard.move", "flat/flatimpl.Node.SetBits", "flat/flatimpl.validator.nestedItems", "flat/flatimpl.validator.nestedLists"}},
}

// choicesAllowed contains the functions that may have a bool parameter for which callers write true
// or false.
var choicesAllowed = []allowance{
	{"leaves and inner nodes differ in few words of this code; most callers have the bool from the level where they are",
		[]string{"btree.scratch.scatterRest", "btree.tree.join", "btree.view.closeGap", "btree.view.count", "btree.view.fill", "btree.view.openGap", "btree.view.wordIn"}},
	{"the direction of a walk, which all steps of it hand on",
		[]string{"btree.tree.fence", "btree.tree.isEdge", "btree.view.edge"}},
	{"two functions with names call it, and the code between them is the same",
		[]string{"btree.Map.put", "btree.tree.arrange", "hashmap.Map.begin"}},
	{"a fact of a type or of a record, which is a value everywhere else",
		[]string{"cache.bytesOf", "flat/flatimpl.Tree.setParent"}},
	{"the state of a search, which goes on with it; true and false are where it enters or leaves a value",
		[]string{"cmd/internal/reach.ledSearch.inspect", "cmd/internal/reach.origins.onlyFilled", "cmd/internal/reach.pinSearch.leads", "cmd/internal/reach.placeIn"}},
	{"a field of what it makes or writes, with the same name",
		[]string{"cmd/internal/reach.Module.pin"}},
	{"written into the user's module, where each additional name may collide with one of its names",
		[]string{"cmd/internal/rewrite/witness.coppiceWitnessFill", "cmd/internal/rewrite/witness.coppiceWitnessStacks"}},
	{"the test kit passes it to a function that tries both, or its name says what is on",
		[]string{"internal/testkit/mapkit.Drift", "internal/testkit/mapkit.Kind.Container", "internal/vmem.MoveAlways"}},
}

// allowances contains the exceptions to a rule, and records which of them the rule needed.
type allowances struct {
	tree *Tree
	all  []allowance
	used map[string]bool
}

func (t *Tree) allow(all []allowance) *allowances {
	return &allowances{t, all, map[string]bool{}}
}

// takes reports whether an allowance permits a function to have the parameters that the rule found.
// If so, it records that the allowance is needed.
func (a *allowances) takes(f *GoFile, fn *ast.FuncDecl) bool {
	name := fullName(f, fn)
	if !slices.ContainsFunc(a.all, func(one allowance) bool { return slices.Contains(one.names, name) }) {
		return false
	}
	a.used[name] = true
	return true
}

// unneeded returns complaints about the allowances that the rule did not need. It does so only for
// a tree that contains this file, so that it does not complain about the small trees in tests.
func (a *allowances) unneeded() (all []Complaint) {
	const file = "workshop/tidy/allowed.go"
	if a.tree.text(file) == nil {
		return nil // the tree was made by a test
	}
	for _, one := range a.all {
		for _, name := range one.names {
			if !a.used[name] {
				all = append(all, Complaint{file, 0, name + " needs no allowance; take it out"})
			}
		}
	}
	return all
}
