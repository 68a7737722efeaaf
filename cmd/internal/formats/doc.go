// Package formats finds the calls of package fmt whose text package strconv and + produce as well,
// byte for byte. It goes by the types of the operands: none of them has a method that fmt could
// call, and none of the verbs has a flag or a width.
package formats

// Files, from top to bottom. A file uses what it declares itself and what files on lower lines
// declare, and nothing else.
//
//	formats.go  a call, and its parts
//	part.go     an operand, and the function that writes it
//	verbs.go    constant formats
