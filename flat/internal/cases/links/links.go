// Package links is a schema with all kinds of links: links to parents, to earlier and later
// declarations, and to sums, also in lists and in structs.
package links

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../linksflat -cpp ../cpp/linksflat.hpp

//flat:root Scope

// Node is what a scope may contain.
//
//flat:sum
type Node interface{ isNode() }

// A Scope contains its declarations, and other scopes.
type Scope struct {
	Up    *Scope `flat:"ref"` // the scope around it
	Vars  []Var
	Body  []Node
	Marks []Mark
	Last  Mark
	Inner *Scope
}

// A Var is declared in one scope.
type Var struct {
	Name  string `flat:"intern"`
	Of    *Scope `flat:"ref"`
	First Node   `flat:"ref"` // its first use
}

// A Use is a use of a variable.
type Use struct {
	Var *Var `flat:"ref"` // which another scope may declare, before or after
}

// A Group has a scope of its own, and links in lists and arrays.
type Group struct {
	Scope *Scope
	Uses  []*Use  `flat:"ref"`
	Pair  [2]Node `flat:"ref"`
	Items []Node
}

// A Mark is an inline struct with links, and with a list of them.
type Mark struct {
	At    int16
	Node  Node   `flat:"ref"`
	Vars  []*Var `flat:"ref"`
	Owned Node
}

func (*Use) isNode()   {}
func (*Group) isNode() {}
