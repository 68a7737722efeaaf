package arena

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// String copies the bytes of b to the arena and returns them as a string. The string is valid until
// Reset. Unlike Go's own strings, it is not immutable: after a Reset, its memory is reused for
// other values. Use strings.Clone for a map key, log entry or error that lives longer.
func (a *Arena) String(b []byte) string {
	if a == nil {
		return string(b)
	}
	room := a.bytes("arena.Arena.String", len(b))
	copy(room, b)
	return asString(room)
}

// CloneString returns a copy of s in the arena, valid until Reset. Use it if the memory of s will
// be reused, or if s is a substring that keeps a much larger string alive.
func (a *Arena) CloneString(s string) string {
	if a == nil {
		return strings.Clone(s)
	}
	room := a.bytes("arena.Arena.CloneString", len(s))
	copy(room, s)
	return asString(room)
}

// bytes returns n zeroed bytes in the arena. The parameter where names the caller, for panic
// messages.
func (a *Arena) bytes(where string, n int) []byte {
	if checks.Enabled {
		a.guard.Enter(where)
		defer a.guard.Leave()
	}
	a.begin()
	return a.plain.bytes(where, n)
}

// A Builder builds a string in an arena, as a strings.Builder does on the Go heap. It is an
// io.Writer, so fmt.Fprintf can write to it, and its Write methods never fail. The zero Builder has
// no Arena and builds on the Go heap. With an Arena, the string is valid until a Reset of the Arena
// or a Rewind to a point before its first Write. The next Write after such a Reset or Rewind begins
// a new string. A Rewind to a Mark that was made after the first Write does not affect the string:
// while such a Mark exists, a string that outgrows its memory is moved to the Go heap. A Builder
// must not be copied after first use.
type Builder struct {
	_ layout.NoCopy

	// Arena is the arena in which the string is built. If it is nil, the string is built on the Go
	// heap. If it is set to a different arena, or from an arena to nil, the next Write begins a new
	// string.
	Arena *Arena

	text  []byte
	in    *Arena // value of Arena at the last check
	state uint64 // state of that arena at the last check
	begun origin // records when the string was begun
}

// An origin records when a value in an arena was made, so that the arena can tell whether the value
// is still valid.
type origin struct {
	phase, state uint64 // values of Arena.phase and Arena.state
	marks        int    // number of Marks that were valid
}

// now returns the origin for a value that is made at this moment.
func (a *Arena) now() origin { return origin{a.phase, a.state, len(a.marks)} }

// has reports whether values with origin o are still valid: no Reset, Release or Rewind has freed
// them.
func (a *Arena) has(o origin) bool {
	return o.phase == a.phase && (o.marks == 0 || o.marks <= len(a.marks) && a.marks[o.marks-1].state <= o.state)
}

// Write appends p. It returns len(p) and a nil error.
func (b *Builder) Write(p []byte) (int, error) {
	b.reserve("arena.Builder.Write", len(p))
	b.text = append(b.text, p...)
	return len(p), nil
}

// WriteString appends s. It returns len(s) and a nil error.
func (b *Builder) WriteString(s string) (int, error) {
	b.reserve("arena.Builder.WriteString", len(s))
	b.text = append(b.text, s...)
	return len(s), nil
}

// WriteByte appends c. It returns a nil error.
func (b *Builder) WriteByte(c byte) error {
	b.reserve("arena.Builder.WriteByte", 1)
	b.text = append(b.text, c)
	return nil
}

// WriteRune appends the UTF-8 encoding of r. It returns the number of bytes and a nil error.
func (b *Builder) WriteRune(r rune) (int, error) {
	b.reserve("arena.Builder.WriteRune", utf8.UTFMax)
	before := len(b.text)
	b.text = utf8.AppendRune(b.text, r)
	return len(b.text) - before, nil
}

// Grow makes room for n more bytes, which can then be written without a further copy of the string.
// It panics if n is negative, or if the string and n bytes exceed the address space.
func (b *Builder) Grow(n int) {
	if n < 0 {
		panic(fmt.Sprintf("arena.Builder.Grow: negative count %d", n))
	}
	b.reserve("arena.Builder.Grow", n)
}

// Len returns the number of bytes written so far.
func (b *Builder) Len() int { return len(b.text) }

// String returns the string written so far, without a copy. Later writes do not change the result,
// which is valid until a Reset of the Arena.
func (b *Builder) String() string { return asString(b.text) }

// Bytes returns the bytes written so far. The slice shares the memory of the Builder. The next
// Write may change the memory after the end of the slice.
func (b *Builder) Bytes() []byte { return b.text[:len(b.text):len(b.text)] }

// Reset prepares the Builder for another string. Strings that the Builder has returned do not
// change.
func (b *Builder) Reset() { b.text = nil }

// reserve makes room for n more bytes. While the string is the last slice of the arena, it grows in
// place by the missing bytes. Otherwise it is copied to memory of at least nextCapacity bytes. The
// parameter where names the caller, for panic messages.
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

// follow drops the string of the Builder if the string is no longer valid, which is the case after
// a Reset or Release of its arena or a Rewind to a point before its first Write. It also drops a
// string in an arena if Arena has been set to a different one, because another goroutine may use
// the old arena.
func (b *Builder) follow() {
	switch {
	case b.in == nil: // a string on the Go heap stays valid; the next bytes are stored in the arena
		b.text = b.text[:len(b.text):len(b.text)]
		b.begun = b.Arena.now()
	case b.in != b.Arena || !b.in.has(b.begun):
		b.text = nil
	}
	if b.in = b.Arena; b.in != nil {
		b.state = b.in.state
	}
}

// longer makes room for n more bytes in a string whose capacity is too small. The parameter where
// names the caller, for panic messages. If the arena has a Mark that is newer than the string,
// longer allocates on the Go heap, because a Rewind to that Mark would free the new memory.
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

// An Interner keeps one copy of each distinct string: a name that occurs a thousand times in a
// source file uses memory only once. The zero Interner has no Arena and keeps its strings on the Go
// heap, for as long as the Interner is reachable. With an Arena, the strings are valid until a
// Reset or Rewind of the Arena. The Interner then forgets them automatically. It also forgets them
// when its Arena field is changed. Only one goroutine may use an Interner at a time.
type Interner struct {
	// Arena is the arena to which strings are copied. If it is nil, they are copied to the Go heap.
	Arena *Arena

	names map[string]string // maps each string to itself
	in    *Arena            // value of Arena when the strings were added
	state uint64            // state of that arena when the strings were added
}

// Bytes returns a string with the contents of b. It copies b only if the Interner has no equal
// string yet.
func (i *Interner) Bytes(b []byte) string {
	i.refresh()
	if name, ok := i.names[string(b)]; ok { // the compiler does not allocate a string for b here
		return name
	}
	return i.add(i.Arena.String(b))
}

// String returns a string equal to s. It copies s only if the Interner has no equal string yet.
// Because the result is a copy, it does not keep alive a larger string that contains s.
func (i *Interner) String(s string) string {
	i.refresh()
	if name, ok := i.names[s]; ok {
		return name
	}
	return i.add(i.Arena.CloneString(s))
}

// Len returns the number of distinct strings in the Interner.
func (i *Interner) Len() int {
	i.refresh()
	return len(i.names)
}

// Reset removes all strings from the Interner. Strings that it has returned stay valid.
func (i *Interner) Reset() { clear(i.names) }

// add adds name to the Interner and returns it. name must be a copy and must not be in the Interner
// yet.
func (i *Interner) add(name string) string {
	if i.names == nil {
		i.names = map[string]string{}
	}
	i.names[name] = name
	return name
}

// refresh forgets the strings if Arena has changed, or if a Reset, Release or Rewind has freed
// them.
func (i *Interner) refresh() {
	if i.in == i.Arena && (i.in == nil || i.state == i.in.state) {
		return
	}
	clear(i.names)
	if i.in = i.Arena; i.in != nil {
		i.state = i.in.state
	}
}
