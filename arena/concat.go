package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/layout"
)

// Concat returns the concatenation of the parts as one string in the arena. For example,
// a.Concat(schema, ".", table) replaces schema + "." + table. Concat always copies, even a single
// part. The arena does not retain the parts.
//
// The string is valid until Reset. As with String, copy it first if it must live longer. To build a
// string in a loop, use a Builder: Concat would copy the whole string in each iteration. If the
// arena is nil, the copy is on the Go heap. Concat panics if the result would exceed the address
// space.
func (a *Arena) Concat(parts ...string) string {
	return a.join("arena.Arena.Concat", parts, "")
}

// Join concatenates the parts, with sep between them, and returns the result as a string in the
// arena. It is strings.Join for an arena. The string is valid until Reset. Join panics if the
// result would exceed the address space.
func (a *Arena) Join(parts []string, sep string) string {
	return a.join("arena.Arena.Join", parts, sep)
}

// join implements Join and Concat. The parameter where names the caller, for panic messages.
func (a *Arena) join(where string, parts []string, sep string) string {
	n := joinedLength(where, parts, sep)
	var room []byte
	if a == nil {
		room = make([]byte, n)
	} else {
		room = a.bytes(where, n)
	}
	rest := room
	for i, part := range parts {
		if i > 0 {
			rest = rest[copy(rest, sep):]
		}
		rest = rest[copy(rest, part):]
	}
	return asString(room)
}

// joinedLength returns the length in bytes of the parts joined with sep. It panics if the length
// would exceed the address space. The parameter where names the caller, for the panic message.
func joinedLength(where string, parts []string, sep string) int {
	n := 0
	for i, part := range parts {
		if i > 0 {
			n = longerBy(where, n, len(sep))
		}
		n = longerBy(where, n, len(part))
	}
	return n
}

// longerBy returns n + more, the length of a string of n bytes after more bytes are appended. It
// panics if the sum exceeds the address space. The parameter where names the caller, for the panic
// message.
func longerBy(where string, n, more int) int {
	if more > layout.MaxBytes-n {
		panic(fmt.Sprintf("%s: %d bytes after %d exceed the address space, which has room for %d", where, more, n, layout.MaxBytes))
	}
	return n + more
}
