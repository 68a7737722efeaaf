// Package rules changes packages that we did not write, the programs of workloads/foreign, so that
// their values come from allocators. It changes `&T{...}`, `new(T)`, `append`, slice literals,
// conversions to strings, and variables whose address is taken. The rules in a file select the
// types, the sites and the owner of the allocators. A site that cannot be changed safely is left
// unchanged, with a reason.
//
// The pipeline is: rules -> sites -> owner -> edits, and the file that declares the allocators.
package rules

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	package.go    applies the rules for a package
//	change.go     the new text of a site
//	generate.go   the file that declares the allocators
//	owner.go      the allocators of a struct, or of the package
//	pass.go       the state of the work on a package
//	count.go      the results of a rule
//	rules.go      the rules, and the forms
