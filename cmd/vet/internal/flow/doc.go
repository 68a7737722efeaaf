// Package flow traces values through a function, for use by several rules. It is based on SSA form,
// in which a variable that is assigned twice becomes two values. Therefore, shadowing and
// reassignment need no special handling.
//
//	Functions  the functions of a package that may have findings
//	Program    these, and what each function that they call ends and returns
//	Path       the variable, or part of one, that a value came from; it distinguishes stores
//	Call       a call to the library, and the values it returns and ends (the table is in library.go)
//	Ended      an object that an instruction gives to a pool or resets, maybe through a function
//	Cut        a value that is memory of another object
//	Claim      a value belongs to an owner, from one instruction to another
//	State      the claims that may hold at one point, on values and on the contents of memory
//	Run        computes the states of a function, and passes each instruction to a rule
//
// # Precision
//
// A claim follows its value through conversions, fields, elements, phis, variables and the fields
// of structs in memory, but not through maps, channels or the elements of slices. The contents of
// memory are known until a store through another pointer to the same type, a call that can reach
// the variable, or an instruction that lets other goroutines run. If an owner may have been
// replaced, because a call gets the struct that points to it, its claims are forgotten. If a claim
// was ended under a condition, it is ignored on paths on which this condition is false. Deferred
// calls take effect when the function returns.
//
// Each function is analyzed separately. Two properties of the functions that it calls are known.
// The first is which objects they reset or give to a pool on every path; facts export this to other
// packages. The second is which of their results share the memory of an argument on every path. It
// is computed only for functions of the same package; for the standard library, the table in
// standard.go contains it. The rules miss a mistake rather than report a false one.
package flow
