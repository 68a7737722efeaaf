// Package formats finds calls to fmt functions whose results can be produced, byte for byte, with
// package strconv and the operator +. The operands of such a call have no methods that fmt could
// call, and its verbs have no flag or width.
package formats

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	formats.go  a call, and its parts
//	part.go     an operand, and the function that writes it
//	verbs.go    constant formats
