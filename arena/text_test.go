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
	"github.com/coppice-go/coppice/internal/testkit/random"
	"pgregory.net/rapid"
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
					arena.New[[16]byte](in) // so that the text is not always the last allocation
					in.String([]byte{1})
				}
			}
			fmt.Fprintf(&b, "%d,%q", i, "x")
			b.WriteByte('z')
			b.WriteString("ß")
			before := b.String()
			b.Grow(10)
			b.Write([]byte(" more")) // does not change the string returned before
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

// Grow panics if the requested size, or its sum with the current length, exceeds the address space.
func TestBuilderGrowsToNoMoreThanThereIs(t *testing.T) {
	for name, in := range map[string]*arena.Arena{"an arena": new(arena.Arena), "the Go heap": nil} {
		for _, text := range []string{"", "some text"} {
			b := arena.Builder{Arena: in}
			b.WriteString(text)
			if text == "" && math.MaxInt == layout.MaxBytes {
				continue // a 32-bit machine may have that many bytes
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

// After a Reset of its arena, a Builder starts a new string and does not write to memory that now
// belongs to other values.
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

// Every write method of a Builder takes memory only from the arena.
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
	if allocs := testing.AllocsPerRun(10, phase); allocs > 4 { // the four Builders themselves
		t.Errorf("four texts take %v allocations", allocs)
	}
}

// A Builder's string grows in place if it is the last allocation of its arena; otherwise, it is
// copied occasionally. Calling Grow beforehand avoids these copies.
func TestBuilderGrows(t *testing.T) {
	var a arena.Arena
	for range 3 {
		arena.Make[byte](&a, 10_000) // leaves enough room in one chunk
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

// After a Rewind has taken back its memory, a Builder does not write to memory of other values.
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

// If a Builder's first write is older than a Mark, its string survives a Rewind to that Mark, even
// what was written after the Mark and however the string grew.
func TestBuilderKeepsItsTextInARewind(t *testing.T) {
	for name, between := range map[string]func(b *arena.Builder, a *arena.Arena){
		"grows in place":      func(*arena.Builder, *arena.Arena) {},
		"grows by a copy":     func(_ *arena.Builder, a *arena.Arena) { a.String([]byte("x")) },
		"has room":            func(b *arena.Builder, _ *arena.Arena) { b.Grow(100) },
		"is behind two Marks": func(b *arena.Builder, a *arena.Arena) { a.Mark(); b.WriteString(""); a.String([]byte("y")) },
	} {
		var a arena.Arena
		b := arena.Builder{Arena: &a}
		b.WriteString("12345678")
		want := "12345678"
		m := a.Mark()
		for range 3 {
			between(&b, &a)
			b.WriteString(strings.Repeat("x", 40))
			want += strings.Repeat("x", 40)
			text := b.String()
			a.Rewind(m)
			scribble(&a)
			if text != want || b.String() != want {
				t.Fatalf("a text that %s is %q and %q after a Rewind; want %q", name, text, b.String(), want)
			}
			b.WriteString("tail")
			if want += "tail"; b.String() != want {
				t.Fatalf("a text that %s goes on as %q; want %q", name, b.String(), want)
			}
			m = a.Mark()
		}
	}
}

// scribble allocates memory from a and overwrites it.
func scribble(a *arena.Arena) {
	for range 50 {
		copy(arena.Make[byte](a, 16), "!!!!!!!!!!!!!!!!")
	}
}

// After a Rewind to a Mark older than its first write, a Builder starts a new string, as after a
// Reset.
func TestBuilderBeginsAnewAfterARewind(t *testing.T) {
	var a arena.Arena
	a.Mark()
	arena.New[int](&a)
	m := a.Mark()
	b := arena.Builder{Arena: &a}
	for range 3 {
		b.WriteString("before")
		younger := a.Mark()
		b.WriteString(strings.Repeat(" and more", 20))
		a.Rewind(younger)
		a.Rewind(m)
		scribble(&a)
		if b.WriteString("after"); b.String() != "after" {
			t.Fatalf("the text is %q", b.String())
		}
		b.Reset()
	}
}

// A Builder whose Arena field changes starts a new string and writes nothing more to the old arena.
// A string that is on the Go heap is kept.
func TestBuilderWithAnotherArena(t *testing.T) {
	var first, second arena.Arena
	for name, next := range map[string]*arena.Arena{"another arena": &second, "the Go heap": nil} {
		b := arena.Builder{Arena: &first}
		b.Grow(100)
		b.WriteString("old")
		b.Arena = next
		b.WriteString("new")
		first.Reset()
		scribble(&first)
		if b.String() != "new" {
			t.Errorf("in %s the text is %q", name, b.String())
		}
	}
	var b arena.Builder
	b.WriteString("heap")
	b.Arena = &second
	second.Mark()
	second.Reset()
	b.WriteString(" and arena")
	if b.String() != "heap and arena" {
		t.Errorf("the text is %q", b.String())
	}
}

// TestBuilderAgainstModel mixes writes, Marks and Rewinds in random order. Each Builder must
// contain everything written since its string began, unless a Rewind or Reset took the string back.
func TestBuilderAgainstModel(t *testing.T) {
	type writer struct {
		b     arena.Builder
		want  string
		after int // the number of Marks older than its first write
	}
	random.Check(t, func(t *rapid.T) {
		var a arena.Arena
		var marks []arena.Mark
		writers := make([]*writer, 3)
		for i := range writers {
			writers[i] = &writer{b: arena.Builder{Arena: &a}}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w := writers[rapid.IntRange(0, len(writers)-1).Draw(t, "writer")]
			switch rapid.SampledFrom([]string{"write", "write", "write", "grow", "other", "mark", "rewind", "reset", "begin"}).Draw(t, "step") {
			case "write":
				text := strings.Repeat("x", rapid.IntRange(1, 70).Draw(t, "length"))
				if w.want == "" {
					w.after = len(marks)
				}
				w.want += text
				w.b.WriteString(text)
			case "grow":
				if w.want != "" {
					w.b.Grow(rapid.IntRange(0, 200).Draw(t, "room"))
				}
			case "other":
				copy(arena.Make[byte](&a, 20), "!!!!!!!!!!!!!!!!!!!!")
			case "mark":
				arena.Make[byte](&a, 8) // separates the Marks, because adjacent ones are equal
				marks = append(marks, a.Mark())
				arena.Make[byte](&a, 8)
			case "rewind":
				if len(marks) > 0 {
					to := rapid.IntRange(0, len(marks)-1).Draw(t, "to")
					a.Rewind(marks[to])
					marks = marks[:to+1]
					for _, other := range writers {
						if other.after > to {
							other.want = ""
						}
					}
				}
			case "reset":
				a.Reset()
				marks = nil
				for _, other := range writers {
					other.want = ""
				}
			case "begin":
				w.want = ""
				w.b.Reset()
			}
			for i, other := range writers {
				if other.want != "" && other.b.String() != other.want {
					t.Fatalf("text %d is %q; want %q", i, other.b.String(), other.want)
				}
			}
		}
	})
}

// An Interner whose Arena field changes never returns a string of an earlier arena, whatever
// happened to that arena.
func TestInternerWithAnotherArena(t *testing.T) {
	var first, second arena.Arena
	names := arena.Interner{Arena: &first}
	old := names.String("a name")
	for _, next := range []*arena.Arena{&second, nil, &first, &second} {
		names.Arena = next
		if names.Len() != 0 {
			t.Errorf("%d names are left of another arena", names.Len())
		}
		name := names.String("a name")
		if same(name, old) {
			t.Error("the name is one of the arena before")
		}
		if again := names.Bytes([]byte("a name")); !same(name, again) {
			t.Error("one name is two")
		}
		old = name
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

// In a checked build, a stale string reads as stale while its memory is in quarantine.
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
