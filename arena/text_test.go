package arena_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

func TestBuilder(t *testing.T) {
	var a arena.Arena
	for name, in := range map[string]*arena.Arena{"an arena": &a, "the Go heap": nil} {
		b := arena.Builder{Arena: in}
		texts := make([]string, 0, 200)
		for i := range 200 {
			b.Reset()
			want := strings.Repeat("é", i) + fmt.Sprintf("%d,%q", i, "x") + "zß"
			for range i {
				b.WriteRune('é')
				if i%3 == 0 {
					arena.New[[16]byte](in) // so that the text is not always the last slice
					in.String([]byte{1})
				}
			}
			fmt.Fprintf(&b, "%d,%q", i, "x")
			b.WriteByte('z')
			b.WriteString("ß")
			before := b.String()
			b.Grow(10)
			b.Write([]byte(" more")) // does not change what was returned
			if before != want || b.Len() != len(want)+5 || string(b.Bytes()) != want+" more" || cap(b.Bytes()) != b.Len() {
				t.Fatalf("in %s text %d is %q, then %q; want %q", name, i, before, b.Bytes(), want)
			}
			texts = append(texts, before)
		}
		for i, text := range texts {
			if !strings.HasSuffix(text, fmt.Sprintf("%d,%q", i, "x")+"zß") {
				t.Fatalf("in %s text %d became %q", name, i, text)
			}
		}
	}
	a.Reset()
	if got := panicOf(func() { (&arena.Builder{}).Grow(-1) }); !strings.HasPrefix(got, "arena.Builder.Grow: negative count -1") {
		t.Errorf("panic %q", got)
	}
}

// A Grow for more than the address space has is refused, as are as many bytes more than there are.
func TestBuilderGrowsToNoMoreThanThereIs(t *testing.T) {
	for name, in := range map[string]*arena.Arena{"an arena": new(arena.Arena), "the Go heap": nil} {
		for _, text := range []string{"", "some text"} {
			b := arena.Builder{Arena: in}
			b.WriteString(text)
			if text == "" && math.MaxInt == layout.MaxBytes {
				continue // a 32-bit machine may have so many
			}
			if got := panicOf(func() { b.Grow(math.MaxInt) }); !strings.HasPrefix(got, "arena.Builder.Grow: ") {
				t.Errorf("in %s, Grow(MaxInt) after %q: %s", name, text, got)
			}
			if b.WriteByte('!'); b.String() != text+"!" {
				t.Errorf("in %s the text is %q after the panic", name, b.String())
			}
		}
	}
}

// A Builder that outlives a Reset writes a new text, and not into what is somebody else's by now.
func TestBuilderAfterReset(t *testing.T) {
	var a arena.Arena
	b := arena.Builder{Arena: &a}
	b.Grow(100)
	b.WriteString("before")
	a.Reset()
	other := arena.Make[byte](&a, 100)
	b.WriteString("af")
	b.WriteString("ter")
	if b.String() != "after" || slices.ContainsFunc(other, func(c byte) bool { return c != 0 }) {
		t.Errorf("the text is %q, and the other value %q", b.String(), other)
	}
}

// A Builder takes memory of its arena and no other, whatever it writes.
func TestBuilderTakesArenaMemory(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	var a arena.Arena
	word := []byte("word")
	phase := func() {
		for _, write := range [...]func(b *arena.Builder){
			func(b *arena.Builder) { b.Write(word) }, func(b *arena.Builder) { b.WriteString("text") },
			func(b *arena.Builder) { b.WriteByte('x') }, func(b *arena.Builder) { b.WriteRune('é') },
		} {
			b := arena.Builder{Arena: &a}
			for range 300 {
				write(&b)
			}
		}
		a.Reset()
	}
	phase()
	phase()
	if allocs := testing.AllocsPerRun(10, phase); allocs > 4 { // the Builders
		t.Errorf("four texts take %v allocations", allocs)
	}
}

// The last text of an arena grows in place, another is copied now and then, and Grow saves even that.
func TestBuilderGrows(t *testing.T) {
	var a arena.Arena
	for range 3 {
		arena.Make[byte](&a, 10_000) // so that there is room in one chunk
		a.Reset()
	}
	b := arena.Builder{Arena: &a}
	for range 1000 {
		b.WriteByte('x')
	}
	if used := a.Stats().Used; used != 1000 {
		t.Errorf("a text of 1000 bytes that grows in place takes %d", used)
	}
	a.Reset()
	for range 1000 {
		b.WriteByte('x')
		a.String([]byte{1}) // takes a word
	}
	if used := a.Stats().Used; used > 8*1000+8*1000 {
		t.Errorf("a text of 1000 bytes among others takes %d", used)
	}
	a.Reset()
	b.WriteString("some text")
	b.Grow(100)
	a.String([]byte{1})
	before := a.Stats().Used
	b.WriteString(strings.Repeat("x", 100))
	if used := a.Stats().Used; used != before {
		t.Errorf("a text took %d bytes more, after a Grow for it", used-before)
	}
}

// A Builder whose memory a Rewind took back does not write into what is somebody else's by now.
func TestBuilderAfterRewind(t *testing.T) {
	var a arena.Arena
	arena.New[int](&a)
	m := a.Mark()
	b := arena.Builder{Arena: &a}
	b.Grow(100)
	b.WriteString("before")
	a.Rewind(m)
	other := arena.Make[byte](&a, 100)
	b.WriteString("after")
	if slices.ContainsFunc(other, func(c byte) bool { return c != 0 }) {
		t.Errorf("the other value is %q", other)
	}
}

func TestInterner(t *testing.T) {
	var a arena.Arena
	for name, in := range map[string]*arena.Arena{"an arena": &a, "the Go heap": nil} {
		i := arena.Interner{Arena: in}
		for phase := range 3 {
			first := i.Bytes([]byte("ash"))
			source := "ash oak ash"
			if again := i.String(source[8:]); !same(first, again) || first != "ash" || i.Len() != 1 {
				t.Fatalf("in %s, phase %d: %q and %q are two of %d", name, phase, first, again, i.Len())
			}
			if oak := i.String(source[4:7]); same(oak, source[4:7]) || oak != "oak" {
				t.Fatalf("in %s %q keeps its source alive", name, oak)
			}
			if empty := i.Bytes(nil); empty != "" {
				t.Fatalf("nothing is %q", empty)
			}
			tree := []byte("elm")
			elm := i.Bytes(tree)
			if tree[0] = 'x'; elm != "elm" || i.Bytes([]byte("elm")) != "elm" {
				t.Fatalf("in %s a name became %q with its source", name, elm)
			}
			word := []byte("ash")
			if allocs := testing.AllocsPerRun(100, func() { i.Bytes(word) }); allocs != 0 && !checks.Enabled {
				t.Errorf("in %s a known name allocates %v times", name, allocs)
			}
			a.Reset()
			if in == nil {
				i.Reset()
			}
			if i.Len() != 0 {
				t.Fatalf("in %s %d names are left after Reset", name, i.Len())
			}
		}
	}
	m := a.Mark()
	i := arena.Interner{Arena: &a}
	i.String("ash")
	a.Rewind(m)
	if i.Len() != 0 {
		t.Error("a name is left that Rewind took back")
	}
}

// In a checked build a stale string reads as what it is, while its memory rests.
func TestStaleTextShows(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var a arena.Arena
	name := a.String([]byte("a name of some length"))
	short := a.String([]byte("oak"))
	a.Reset()
	if name != "<stale!><stale!><stal" || short != "<st" { //coppice:ignore stalevalue it reads what is stale
		t.Errorf("stale strings read %q and %q", name, short)
	}
	for range 3 {
		if again := arena.Make[byte](&a, 50); slices.ContainsFunc(again, func(c byte) bool { return c != 0 }) {
			t.Errorf("memory that has rested comes back as %q", again)
		}
		a.Reset()
	}
	stale := arena.Make[byte](&a, 8)
	a.Reset()
	stale[3] = 'x' //coppice:ignore stalevalue the write that must be found
	if got := panicOf(a.Reset); !strings.Contains(got, "was written after the Reset at") {
		t.Errorf("a write to stale text says %q", got)
	}
}
