package arena_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/coppice-go/coppice/arena"
)

// The examples use the types of a small language, which are typical of a parser: an interface,
// pointer types that implement it, and a named slice type.
type (
	stmt  interface{ text() string }
	block []stmt

	assign struct{ name, value string }
	loop   struct{ body block }
)

func (s *assign) text() string { return s.name + "=" + s.value }

func (s *loop) text() string {
	texts := make([]string, 0, len(s.body))
	for _, inner := range s.body {
		texts = append(texts, inner.text())
	}
	return "{" + strings.Join(texts, " ") + "}"
}

// To append to a slice of interfaces, specify its element type, because the appended values have
// another type. A slice of pointers needs no type argument. The result has the type of the slice,
// here block.
func ExampleAppend_interfaces() {
	var a arena.Arena
	var body block
	body = arena.Append[stmt](&a, body, arena.Copy(&a, &assign{"x", "1"}))
	body = arena.Append[stmt](&a, body, &assign{"y", "2"}, &loop{})
	var leaves []*assign
	leaves = arena.Append(&a, leaves, &assign{"z", "3"})
	fmt.Println((&loop{body}).text(), len(leaves))
	// Output: {x=1 y=2 {}} 1
}

// A local variable whose address is returned can usually become an arena pointer from the start.
func ExampleNew_variable() {
	parse := func(a *arena.Arena, word string) *assign {
		s := arena.New[assign](a) // var s assign
		s.name, s.value, _ = strings.Cut(word, "=")
		if s.value == "" {
			*s = assign{name: "nothing"} // s = assign{...}
		}
		return s // return &s
	}
	var a arena.Arena
	fmt.Println(*parse(&a, "x=1"), *parse(&a, "y"))
	// Output: {x 1} {nothing }
}

// Alternatively, the variable stays on the stack and is copied to the arena at the end. This suits
// a function with several early returns that need no value. It is wrong if the address of the
// variable has already been stored elsewhere.
func ExampleCopy_variable() {
	parse := func(a *arena.Arena, word string) (*assign, bool) {
		var s assign
		var ok bool
		if s.name, s.value, ok = strings.Cut(word, "="); !ok {
			return nil, false // takes nothing from the arena
		}
		return arena.Copy(a, &s), true // return &s, true
	}
	var a arena.Arena
	s, ok := parse(&a, "x=1")
	_, none := parse(&a, "y")
	fmt.Println(s.text(), ok, none, a.Stats().Types)
	// Output: x=1 true false 1
}

// A wordReader reads two-byte words. It holds the parser's state and its arena.
type wordReader struct {
	arena *arena.Arena // nil means the Go heap
	input string
}

// readAll keeps its old signature, for callers that keep the result.
func readAll(input string) block { return readAllIn(nil, input) }

// readAllIn is like readAll, but allocates nodes and strings from a. They are valid until the
// caller resets a.
func readAllIn(a *arena.Arena, input string) (body block) {
	r := wordReader{arena: a, input: input}
	for r.input != "" {
		body = arena.Append[stmt](a, body, r.read())
	}
	return body
}

func (r *wordReader) read() *assign {
	word := r.input[:2]
	r.input = r.input[2:]
	return arena.Copy(r.arena, &assign{word[:1], word[1:]})
}

// A package that creates a parser for each call offers a second function, here readAllIn, that
// takes an arena. A caller that gets the arena from a pool returns it when it no longer uses the
// tree. A caller that keeps the tree calls the old function, here readAll.
func Example_parseIn() {
	var arenas arena.Pool
	answer := func(input string) string {
		a := arenas.Get()
		defer arenas.Put(a) // the tree is stale after this
		return (&loop{readAllIn(a, input)}).text()
	}
	var answers [3]string
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = answer("x" + strconv.Itoa(i)) })
	}
	all.Wait()
	kept := readAll("y7")
	fmt.Println(answers, kept[0].text())
	// Output: [{x=0} {x=1} {x=2}] y=7
}

// newAssign is a constructor with many callers. The port added the arena as its first parameter.
func newAssign(a *arena.Arena, name, value string) *assign {
	return arena.Copy(a, &assign{a.Concat("$", name), value})
}

// nodes provides the constructors as methods, for a grammar whose actions create nodes.
type nodes struct{ in *arena.Arena }

func (n nodes) assign(name, value string) *assign { return newAssign(n.in, name, value) }
func (n nodes) loop(body ...stmt) *loop           { return arena.Copy(n.in, &loop{arena.Clone(n.in, body)}) }

// Package-level constructors take the arena as their first parameter, or become methods of a small
// type that holds it. A package variable would not do: all goroutines would share it.
func Example_constructors() {
	var a arena.Arena
	n := nodes{&a}
	fmt.Println(n.loop(n.assign("x", "1"), newAssign(nil, "y", "2")).text())
	// Output: {$x=1 $y=2}
}

// A lexer that unescapes strings only has to replace its strings.Builder with an arena.Builder.
func ExampleBuilder_lexer() {
	unescape := func(a *arena.Arena, quoted string) string {
		b := arena.Builder{Arena: a} // var b strings.Builder
		for i := 0; i < len(quoted); i++ {
			if c := quoted[i]; c != '\\' {
				b.WriteByte(c)
			} else if i++; quoted[i] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(quoted[i])
			}
		}
		return b.String()
	}
	var a arena.Arena
	fmt.Printf("%q %q\n", unescape(&a, `two\nlines`), unescape(nil, `a \"word\"`))
	// Output: "two\nlines" "a \"word\""
}
