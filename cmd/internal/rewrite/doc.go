// Package rewrite analyzes a Go package for rewriters: it finds the sites that allocate, determines
// which of them can be changed safely, and gives a reason for each of the others. Package rewrite
// does not edit code. Two engines do, each for its own kind of request:
//
//   - rules changes the sites that a rules file selects in the programs of workloads/foreign. It
//     creates several forms of a program, which are compared with each other;
//   - own changes individually chosen sites, for the remedy slab. The module keeps the change.
//
// Other remedies use package rewrite to find variables that no call can change, to check the
// arguments of make, and to add the files of the witness form, in which a change checks itself at
// run time.
package rewrite

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	owner.go  refuse.go                structs with allocators; reasons for leaving a site unchanged
//	variables.go                       variables whose address is taken, which the compiler may move to the heap
//	words.go                           the new text of a site
//	code.go                            the package, with the facts that both engines use
//	site.go  lengths.go                the expressions that allocate; calls to make that cannot panic
//	hoist.go                           values that can have a variable of their own
//	locals.go  locked.go               expressions that no call can change; values with a lock
//	retain.go  nosplit.go              what a chunk keeps alive; functions whose stack cannot grow
//	shadowed.go  witness.go            shadowed predeclared names; the files of the witness form
