// Package own gives a struct slabs for the values that its methods allocate. For each type of
// value, the struct gets a field. Its type is slab.Chunks or, if the module does not require
// Coppice, a type that is written into the package. The changes are meant to be kept in a
// repository: the sites are chosen one by one, the whole module is searched for code that can reach
// the owner, and a change has a witness form, which is run before the change is trusted. A site
// that cannot be changed safely is left unchanged, with a reason. Package own can also create a
// second variant of a function, in which the values come from an arena that the struct points to.
//
// The pipeline is: asks -> sites -> owner -> edits, and the type of the fields.
package own

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	form.go                gives a function a form with an arena parameter
//	own.go  wire.go        generates the edits for asks; the field with the arena, and the new function
//	hoist.go  returned.go  values that get a variable of their own; returned copies of variables
//	refuse.go  thread.go   why a site is left unchanged; functions that get the owner as a parameter
//	returnedlist.go        lists that grow on the stack until they are returned
//	fields.go              the fields of owners
//	lives.go  made.go      owners that allocate the values of several results; the structs that a function creates
//	write.go  change.go    the type of the fields, for a package whose module does not require Coppice; the new text of a site
//	owner.go  words.go     where an owner is at hand, and its slab for a type; what comes from an arena
//	order.go               what a site reads and a call beside it may change
//	panics.go              the panics that an expression may cause
//	there.go  witness.go   the type that an earlier change wrote; additions in the witness form
//	names.go  chunks.go    the names of fields; the source of the type, in parts
//	lines.go               the code around a statement
//	pass.go                the state of the work on a package
//	called.go              the names of the type and of its methods
//	athand.go              the structs that all callers of a function could pass to it
//	callers.go             the callers of functions, and which functions can get an additional parameter
//	asks.go                the requests, the analysis that they need, and their results
