// Package keeps determines which code may still refer to a value of a function's result after the
// caller has declared the result dead.
//
// It follows all pointers in the functions that may run when the function is called (Andersen,
// Program Analysis and Specialization for the C Programming Language, 1994). Places in memory are
// distinguished by where they are allocated and by fields. A call of a function value, or through
// an interface, may run every function that the value may denote. Everything that existed before
// the call is one place, called outside: package variables, all memory that is reachable from the
// parameters, and the values that functions of other modules return. Code outside may do anything
// with the memory to which it has a pointer. So if a pointer to memory is stored outside, or passed
// to a function whose body is not known, then this memory, and everything that is reachable from
// it, is said to be out.
//
// After the call, the callers have the result, and may pass it to functions of the module. Values
// that these functions store in package variables are out, too.
//
// Some functions of the standard library are known not to keep their arguments, for example
// functions of packages fmt, sort and slices. docs/decisions/0047 explains why the analysis works
// this way.
package keeps

// Files, from top to bottom. A file uses only what it declares itself and what files on lower lines
// declare.
//
//	keeps.go       decides what is out
//	after.go       what callers may let the module keep, once they have a result
//	instrs.go      what an instruction does with pointers
//	calls.go       which functions a call runs
//	builtins.go    what builtins do
//	known.go       what the known functions of the standard library do
//	flows.go       where pointers flow, and what is out
//	search.go      the state of a search
//	solve.go       propagates sets of pointers
//	places.go      places in memory, and sets of them
//	functions.go   the functions of a program
