// Package flow is what the rules that follow values through a function share. It works
// on SSA form, where a variable that is assigned twice is two values, so shadowing and
// reassignment need no care.
//
//	Functions  those of a package that there may be something to say of
//	Path       which variable, or part of one, a value came from: tells one store from another
//	Call       a call of the library, and what it gives and ends (library.go is the table)
//	Claim      a value belongs to an owner, from some instruction on and until another
//	State      the claims that may hold at one place
//	Run        computes the states of a function, and shows each instruction to a rule
//
// # What is precise, and what is not seen
//
// A claim follows its value through conversions, fields, elements, phis and local
// variables, not through calls, other memory or channels. Where an owner may have been
// replaced meanwhile (a call gets the struct that points to it) its claims are forgotten.
// A claim that was ended under a condition is not used where the same condition is
// false. Deferred calls take effect where the function returns. All of that is one
// function at a time: the rules rather miss a mistake than report one that is none.
package flow
