// Package flow follows values through a function, for several rules. It works on SSA form,
// where a variable that is assigned twice is two values, so shadowing and reassignment need no
// special handling.
//
//	Functions  the functions of a package that may have findings
//	Path       the variable, or part of one, that a value came from; it distinguishes stores
//	Call       a call of the library, and the values it returns and ends (the table is in library.go)
//	Claim      a value belongs to an owner, from one instruction to another
//	State      the claims that may hold at one point
//	Run        computes the states of a function, and passes each instruction to a rule
//
// # Precision
//
// A claim follows its value through conversions, fields, elements, phis and local
// variables, but not through calls, other memory or channels. Where an owner may have been
// replaced (a call gets the struct that points to it), its claims are forgotten. A claim that
// was ended under a condition is ignored where the same condition is false. Deferred calls take
// effect where the function returns. The analysis covers one function at a time. The rules
// prefer missing a mistake to a false report.
package flow
