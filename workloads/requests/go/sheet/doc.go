// Package sheet is a small language of formulas over lists and records, with a parser,
// an evaluator, and answers in JSON. Evaluating a sheet is the work of each request of the
// experiment. The grammar is in ../../spec.md.
//
// The same code serves both kinds of allocation. If a sheet is parsed with an arena.Arena, all its
// nodes, lists and texts are in the arena. If it is parsed with nil, they are ordinary values of
// the Go heap.
//
// Sheets are untrusted: any sheet costs a bounded amount of stack, time and memory. An error is one
// line with its position.
package sheet
