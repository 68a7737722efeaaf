package arena_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

// fillSome allocates values of several types. In a new arena, it is the first use of these types.
func fillSome(a *arena.Arena) {
	arena.New[pair](a)
	arena.New[[3]uint64](a)
	a.CloneString("some")
}

// markDeep makes three Marks, with allocations before each, and returns the third.
func markDeep(a *arena.Arena) (m arena.Mark) {
	for range 3 {
		fillSome(a)
		m = a.Mark()
	}
	return m
}

// Rewind panics on every kind of invalid Mark, in every state of the arena, and leaves all values
// untouched.
func TestWorthlessMarksPanic(t *testing.T) {
	worthless := map[string]func(a *arena.Arena) arena.Mark{
		"that nobody made":            func(*arena.Arena) arena.Mark { return arena.Mark{} },
		"of an untouched arena":       func(*arena.Arena) arena.Mark { return new(arena.Arena).Mark() },
		"of another arena":            func(*arena.Arena) arena.Mark { var o arena.Arena; fillSome(&o); return o.Mark() },
		"of another arena, deeper":    func(*arena.Arena) arena.Mark { return markDeep(new(arena.Arena)) },
		"of a phase before, at start": func(a *arena.Arena) arena.Mark { m := a.Mark(); a.Reset(); return m },
		"of a phase before":           func(a *arena.Arena) arena.Mark { m := markDeep(a); a.Reset(); return m },
		"from before Release, start":  func(a *arena.Arena) arena.Mark { m := a.Mark(); a.Release(); return m },
		"from before Release":         func(a *arena.Arena) arena.Mark { m := markDeep(a); a.Release(); return m },
		"rewound beyond":              func(a *arena.Arena) arena.Mark { m := a.Mark(); late := markDeep(a); a.Rewind(m); return late },
		"rewound beyond, its place taken": func(a *arena.Arena) arena.Mark {
			m := a.Mark()
			late := markDeep(a)
			a.Rewind(m)
			markDeep(a)
			return late
		},
	}
	states := map[string]func(a *arena.Arena){
		"values":            fillSome,
		"its start marked":  func(a *arena.Arena) { a.Mark(); fillSome(a) },
		"Marks of its own":  func(a *arena.Arena) { markDeep(a) },
		"nothing but Marks": func(a *arena.Arena) { a.Mark() },
		"nothing":           func(*arena.Arena) {},
	}
	for name, worthless := range worthless {
		for state, fill := range states {
			var a arena.Arena
			m := worthless(&a)
			fill(&a)
			held, word := arena.New[pair](&a), a.CloneString("word")
			held.left = held
			before := a.Stats()
			got := panicOf(func() { a.Rewind(m) })
			if !strings.HasPrefix(got, "arena.Arena.Rewind: the Mark is not one of this phase of this Arena") {
				t.Errorf("a Mark %s, of an arena with %s: %s", name, state, got)
			}
			if a.Stats() != before || held.left != held || word != "word" {
				t.Errorf("a Mark %s, of an arena with %s: Stats were %+v and are %+v", name, state, before, a.Stats())
			}
			now := a.Mark()
			fillSome(&a)
			a.Rewind(now)
			if a.Stats().Used != before.Used {
				t.Errorf("a Mark %s, of an arena with %s: the arena is unusable after the panic", name, state)
			}
		}
	}
}

// Rewind takes back values of types that the arena first saw after the Mark. This works repeatedly,
// both in the phase in which the types first appeared and in later phases.
func TestRewindOfTypesThatCameLater(t *testing.T) {
	var a arena.Arena
	for phase := range 3 {
		start := a.Mark()
		fillSome(&a)
		m := a.Mark()
		before := a.Stats().Used
		for round := range 3 {
			arena.New[[7]*int](&a)
			arena.Of[[9]int](&a).New()
			markDeep(&a)
			arena.New[[11]*int](&a)
			a.Rewind(m)
			if got := a.Stats().Used; got != before {
				t.Fatalf("phase %d, round %d: Rewind left %d bytes in use, want %d", phase, round, got, before)
			}
			if round == 1 {
				a.Mark() // a Mark that covers the new types too
			}
		}
		a.Rewind(start)
		if got := a.Stats().Used; got != 0 {
			t.Fatalf("phase %d: a Rewind to the start left %d bytes in use", phase, got)
		}
		a.Reset()
	}
}
