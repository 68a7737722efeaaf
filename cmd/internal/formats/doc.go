// Package formats finds the calls to functions of package fmt whose result package strconv and +
// can also produce, byte for byte. The types of the operands of such a call have no method that fmt
// could call, and its verbs have no flag or width.
package formats

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	formats.go  a call, and its parts
//	part.go     an operand, and the function that writes it
//	verbs.go    constant formats
