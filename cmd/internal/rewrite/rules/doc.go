// Package rules changes where packages that we did not write take their values from, by rules in a
// file: the programs of workloads/foreign. `&T{...}`, `new(T)`, `append` and literals of slices
// take them from an allocator, conversions to strings too, and variables whose address is taken.
// Rules name the types and the sites, and who owns the allocator. What cannot be changed safely
// stays as it is, with a reason.
//
// The pipeline is: rules -> sites -> owner -> edits, and the file that declares the allocators.
package rules

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	package.go    applies the rules for a package
//	change.go     the new text of a site
//	generate.go   the file that declares the allocators
//	owner.go      the allocators of a struct, or of the package
//	pass.go       what is known during the work on a package
//	count.go      what came of a rule
//	rules.go      the rules, and the forms
