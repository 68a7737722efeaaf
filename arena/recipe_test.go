package arena_test

import (
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// fill sets the fields of the caller's variable, as methods of parsers do.
func (s *assign) fill(name string) { s.name, s.value = name, name }

// TestRecipesTakeNoOtherMemory verifies that the recipes in docs/ARENA.md take memory only from the
// arena. In particular, neither a variable that is copied, nor one whose methods are called, nor
// the appended values may move to the Go heap.
func TestRecipesTakeNoOtherMemory(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("a checked build allocates for itself")
	}
	var a arena.Arena
	var sink stmt
	for name, recipe := range map[string]func(){
		"Append to interfaces": func() {
			var body block
			for range 10 {
				body = arena.Append[stmt](&a, body, arena.New[assign](&a), arena.New[loop](&a))
			}
			sink = body[9]
		},
		"Append to pointers": func() {
			var all []*assign
			for range 10 {
				all = arena.Append(&a, all, arena.New[assign](&a))
			}
			sink = all[9]
		},
		"a pointer from the start": func() {
			s := arena.New[assign](&a)
			s.fill("x")
			*s = assign{name: "y"}
			sink = s
		},
		"a copy at the end": func() {
			var s assign
			s.fill("x")
			sink = arena.Copy(&a, &s)
		},
		"a copy of a part": func() {
			var token struct {
				at   [40]int
				stmt assign
			}
			token.stmt.fill("x")
			sink = arena.Copy(&a, &token.stmt)
		},
		"a constructor":  func() { sink = newAssign(&a, "x", "y") },
		"a method":       func() { sink = nodes{&a}.loop(nodes{&a}.assign("x", "y")) },
		"a Builder":      func() { b := arena.Builder{Arena: &a}; b.WriteString("x"); sink = newAssign(&a, b.String(), "") },
		"a whole parser": func() { sink = readAllIn(&a, "x1y2z3")[2] },
	} {
		if allocs := testing.AllocsPerRun(100, func() { recipe(); a.Reset() }); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
	_ = sink
}
