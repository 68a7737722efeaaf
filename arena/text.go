package arena

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// String copies the bytes of b to the arena and returns them as a string. It is valid until Reset,
// and not immutable as Go's own strings are: later its memory is another value. A key of a map, a
// log entry or an error that lives longer needs a copy, by strings.Clone.
func (a *Arena) String(b []byte) string {
	if a == nil {
		return string(b)
	}
	room := a.bytes("arena.Arena.String", len(b))
	copy(room, b)
	return asString(room)
}

// CloneString returns a copy of s in the arena, which is valid until Reset. It is for a string
// whose memory will be reused, or that keeps a larger string alive.
func (a *Arena) CloneString(s string) string {
	if a == nil {
		return strings.Clone(s)
	}
	room := a.bytes("arena.Arena.CloneString", len(s))
	copy(room, s)
	return asString(room)
}

// bytes returns n bytes of the arena for the function where.
func (a *Arena) bytes(where string, n int) []byte {
	if checks.Enabled {
		a.guard.Enter(where)
		defer a.guard.Leave()
	}
	a.begin()
	return a.plain.bytes(where, n)
}

// A Builder makes a string of parts in an arena, as a strings.Builder does on the Go heap. It is an
// io.Writer, so fmt.Fprintf writes to it, and its Write methods never fail. The zero Builder,
// without an Arena, builds on the Go heap. With an Arena, its text is valid until Reset of that, or
// a Rewind to before its first Write; the next Write after either begins a new text. A Rewind to a
// later Mark takes nothing back from the text: what does not fit into its memory while there is
// such a Mark goes to the Go heap. A Builder must not be copied after first use.
type Builder struct {
	_ layout.NoCopy

	// Arena is where the text is built. nil is the Go heap. When it is set to another arena, or
	// from an arena to nil, the next Write begins a new text.
	Arena *Arena

	text  []byte
	in    *Arena // Arena at the last look
	state uint64 // of in then
	begun origin // when in first had text
}

// An origin is when a value of an arena was made.
type origin struct {
	phase, state uint64 // of the arena
	marks        int    // how many Marks were valid
}

// now is the origin of a value that is made now.
func (a *Arena) now() origin { return origin{a.phase, a.state, len(a.marks)} }

// has tells whether no Reset, Release or Rewind took back what was made at o.
func (a *Arena) has(o origin) bool {
	return o.phase == a.phase && (o.marks == 0 || o.marks <= len(a.marks) && a.marks[o.marks-1].state <= o.state)
}

// Write appends p. It returns len(p) and no error.
func (b *Builder) Write(p []byte) (int, error) {
	b.reserve("arena.Builder.Write", len(p))
	b.text = append(b.text, p...)
	return len(p), nil
}

// WriteString appends s. It returns len(s) and no error.
func (b *Builder) WriteString(s string) (int, error) {
	b.reserve("arena.Builder.WriteString", len(s))
	b.text = append(b.text, s...)
	return len(s), nil
}

// WriteByte appends c. It returns no error.
func (b *Builder) WriteByte(c byte) error {
	b.reserve("arena.Builder.WriteByte", 1)
	b.text = append(b.text, c)
	return nil
}

// WriteRune appends the UTF-8 encoding of r. It returns the count of bytes, and no error.
func (b *Builder) WriteRune(r rune) (int, error) {
	b.reserve("arena.Builder.WriteRune", utf8.UTFMax)
	before := len(b.text)
	b.text = utf8.AppendRune(b.text, r)
	return len(b.text) - before, nil
}

// Grow makes room for n bytes more, so that they are written without another copy of the text. It
// panics if n is negative, or if the text and n bytes exceed the address space.
func (b *Builder) Grow(n int) {
	if n < 0 {
		panic(fmt.Sprintf("arena.Builder.Grow: negative count %d", n))
	}
	b.reserve("arena.Builder.Grow", n)
}

// Len is the count of bytes written so far.
func (b *Builder) Len() int { return len(b.text) }

// String returns what was written so far. It copies nothing, and is valid until Reset of the Arena;
// what is written later does not change it.
func (b *Builder) String() string { return asString(b.text) }

// Bytes returns what was written so far, as a slice of the Builder's memory. The next Write may
// change what is behind its end.
func (b *Builder) Bytes() []byte { return b.text[:len(b.text):len(b.text)] }

// Reset makes the Builder empty, for another text. Texts that it returned stay as they are.
func (b *Builder) Reset() { b.text = nil }

// reserve makes room for n bytes more. While the text is the last slice of the arena it grows in
// place, by what it needs; otherwise it is copied, to twice its capacity. where names the caller in
// a panic.
func (b *Builder) reserve(where string, n int) {
	if b.in != b.Arena || b.in != nil && b.state != b.in.state {
		b.follow()
	}
	switch {
	case n <= cap(b.text)-len(b.text):
	case n > layout.MaxBytes-len(b.text):
		panic(fmt.Sprintf("%s: %d bytes after %d exceed the address space, which has room for %d", where, n, len(b.text), layout.MaxBytes))
	case b.in == nil:
		b.text = slices.Grow(b.text, n)
	default:
		b.longer(where, n)
	}
}

// follow looks at what became of the text. It is gone after a Reset or Release of its arena, after
// a Rewind to before it, and where the Builder has another Arena now, of which another goroutine
// may use the old one.
func (b *Builder) follow() {
	switch {
	case b.in == nil: // text of the Go heap stays, and the next bytes go to the arena
		b.text = b.text[:len(b.text):len(b.text)]
		b.begun = b.Arena.now()
	case b.in != b.Arena || !b.in.has(b.begun):
		b.text = nil
	}
	if b.in = b.Arena; b.in != nil {
		b.state = b.in.state
	}
}

// longer makes room for n bytes more than the text's capacity has, for the function where. Memory
// that is taken from the arena when there is a Mark younger than the text would go with a Rewind to
// that Mark, so it comes from the Go heap.
func (b *Builder) longer(where string, n int) {
	a, need := b.in, len(b.text)+n
	if checks.Enabled {
		a.guard.Enter(where)
		defer a.guard.Leave()
	}
	a.begin()
	if cap(b.text) == 0 {
		b.begun = a.now()
	}
	if len(a.marks) > b.begun.marks {
		b.text = slices.Grow(b.text, n)
		return
	}
	if more, ok := a.plain.longer(b.text, need-cap(b.text)); ok {
		b.text = more
		return
	}
	made := a.plain.bytes(where, max(need, nextCapacity(cap(b.text))))
	b.text = made[:copy(made, b.text)]
}

// An Interner keeps one copy of each string that it is given: a name that occurs a thousand times
// in a source takes the memory of one. The zero Interner, without an Arena, keeps its strings on
// the Go heap, for as long as it is there. With an Arena the strings are valid until Reset or
// Rewind of that, and the Interner forgets them then by itself, and when its Arena is set to
// another one. Only one goroutine may use an Interner at a time.
type Interner struct {
	// Arena is where strings are copied to. nil is the Go heap.
	Arena *Arena

	names map[string]string // each string by itself
	in    *Arena            // Arena when names were made
	state uint64            // of in then
}

// Bytes returns b as a string. It copies b when it sees these bytes for the first time.
func (i *Interner) Bytes(b []byte) string {
	i.refresh()
	if name, ok := i.names[string(b)]; ok { // the compiler makes no string of b here
		return name
	}
	return i.add(i.Arena.String(b))
}

// String returns a string that is equal to s. It copies s when it sees it for the first time, so
// that the result does not keep a larger string alive of which s is a part.
func (i *Interner) String(s string) string {
	i.refresh()
	if name, ok := i.names[s]; ok {
		return name
	}
	return i.add(i.Arena.CloneString(s))
}

// Len is the count of different strings that the Interner keeps.
func (i *Interner) Len() int {
	i.refresh()
	return len(i.names)
}

// Reset forgets all strings. Those that were returned stay valid.
func (i *Interner) Reset() { clear(i.names) }

// add keeps a string that is not kept yet.
func (i *Interner) add(name string) string {
	if i.names == nil {
		i.names = map[string]string{}
	}
	i.names[name] = name
	return name
}

// refresh forgets strings of another arena, and those that a Reset, Release or Rewind took back.
func (i *Interner) refresh() {
	if i.in == i.Arena && (i.in == nil || i.state == i.in.state) {
		return
	}
	clear(i.names)
	if i.in = i.Arena; i.in != nil {
		i.state = i.in.state
	}
}
