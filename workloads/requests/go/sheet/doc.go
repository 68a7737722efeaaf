// Package sheet is a small language of formulas over lists and records, with a parser,
// an evaluator, and answers in JSON: the work that each request of the experiment asks
// for. The grammar is in ../../spec.md.
//
// It is written once for both ways of allocation: a sheet is parsed with an
// arena.Arena, from which then come all its nodes, lists and texts, or with nil, and
// then they are ordinary values of the Go heap.
//
// Sheets come from strangers: a sheet of any content costs a bounded amount of stack, time and
// memory, and what is wrong with it is one line that names the place.
package sheet
