// Package keeps finds out which code may still have a value of a function's result after the caller
// has declared the result dead.
//
// It follows all pointers in the functions that may run when the function is called (Andersen,
// Program Analysis and Specialization for the C Programming Language, 1994): places in memory are
// distinguished by where they are allocated and by fields, and a call of a function value or of an
// interface runs what the value may be. Everything that was there before the call is one place,
// outside: package variables, what the parameters lead to, and what functions of other modules
// return. Code with a pointer to a place outside may do anything with it. So a pointer that is
// stored outside, or is handed to a function whose body is not known, is out, with all that it
// leads to.
//
// After the call its callers have the result, and call functions of the module with it. Values that
// these store in package variables are out, too.
//
// Few functions of the standard library are known to keep nothing: package fmt, sort, slices and
// others. docs/decisions/0047 says why it is done this way.
package keeps

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	keeps.go       asks what is out
//	after.go       what callers may let the module keep, once they have a result
//	instrs.go      what an instruction does with pointers
//	calls.go       which functions a call runs
//	builtins.go    what builtins do
//	known.go       what functions of the standard library do that keep nothing
//	flows.go       where pointers flow, and what is out
//	search.go      what is known
//	solve.go       lets sets of pointers grow
//	places.go      places in memory, and sets of them
//	functions.go   the functions of a program
