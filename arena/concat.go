package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/layout"
)

// Concat returns the parts one behind the other, as one string in the arena: a.Concat(schema, ".",
// table) for schema + "." + table. It always copies, also a single part. The arena does not keep
// the parts.
//
// The string is valid until Reset, as that of String, which says what to copy before. A text that
// grows in a loop is for a Builder: Concat would copy all of it in each turn. Concat of a nil arena
// is a copy on the Go heap. It panics if the parts exceed the address space.
func (a *Arena) Concat(parts ...string) string {
	return a.join("arena.Arena.Concat", parts, "")
}

// Join returns the parts as one string in the arena, with sep between each two, as strings.Join
// does on the Go heap. It is valid as long as that of Concat. It panics if the parts and what is
// between them exceed the address space.
func (a *Arena) Join(parts []string, sep string) string {
	return a.join("arena.Arena.Join", parts, sep)
}

// join is Join for the function where.
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

// joinedLength is how many bytes the parts have with sep between each two.
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

// longerBy is the length of a text of n bytes with more behind it. It panics in the name of where
// if they exceed the address space.
func longerBy(where string, n, more int) int {
	if more > layout.MaxBytes-n {
		panic(fmt.Sprintf("%s: %d bytes after %d exceed the address space, which has room for %d", where, more, n, layout.MaxBytes))
	}
	return n + more
}
