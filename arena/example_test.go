package arena_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/coppice-go/coppice/arena"
)

// An Expr is a number or a function call, in ordinary Go.
type Expr struct {
	Name string
	Args []*Expr
}

// parse reads one s-expression, such as (add 1 (mul 2 3)), and returns the remaining words.
func parse(a *arena.Arena, words []string) (*Expr, []string) {
	e := arena.New[Expr](a)
	if e.Name = words[0]; e.Name != "(" {
		return e, words[1:]
	}
	e.Name, words = words[1], words[2:]
	for words[0] != ")" {
		var arg *Expr
		arg, words = parse(a, words)
		e.Args = arena.Append(a, e.Args, arg)
	}
	return e, words[1:]
}

func (e *Expr) String() string {
	if e.Args == nil {
		return e.Name
	}
	var b strings.Builder
	for _, arg := range e.Args {
		fmt.Fprint(&b, " ", arg)
	}
	return "[" + e.Name + b.String() + "]"
}

// A server reuses one arena for all requests: it parses, answers and resets the arena.
func Example() {
	var a arena.Arena
	for _, request := range []string{"( add 1 ( mul 2 3 ) )", "( neg 4 )"} {
		tree, _ := parse(&a, strings.Fields(request))
		fmt.Println(tree, a.Stats().Types)
		a.Reset() // tree is stale from here on
	}
	// Output:
	// [add 1 [mul 2 3]] 2
	// [neg 4] 2
}

func ExampleOptions() {
	a := &arena.Arena{Options: arena.Options{Keep: 1 << 20}}
	for range 3 {
		arena.Make[byte](a, 10<<20)
		a.Reset()
	}
	fmt.Println(a.Stats().Size <= 1<<20)
	// Output: true
}

func ExampleNew() {
	var a arena.Arena
	e := arena.New[Expr](&a)
	fmt.Printf("%+v\n", *e)
	// Output: {Name: Args:[]}
}

func ExampleMake() {
	var a arena.Arena
	fmt.Println(arena.Make[int](&a, 5)[:2])
	// Output: [0 0]
}

func ExampleAppend() {
	var a arena.Arena
	s := arena.Append(&a, []int{1, 2}, 3) // copies the slice into the arena
	longer := arena.Append(&a, s, 4, 5, 6)
	fmt.Println(longer, &longer[0] == &s[0])
	// Output: [1 2 3 4 5 6] true
}

func ExampleClone() {
	var a arena.Arena
	s := []string{"oak", "ash"}
	fmt.Println(arena.Clone(&a, s))
	// Output: [oak ash]
}

// In a hot loop, Of avoids looking up the type's slab for each value.
func ExampleOf() {
	var a arena.Arena
	exprs := arena.Of[Expr](&a)
	for range 1000 {
		exprs.New().Name = "x"
	}
	fmt.Println(exprs.Len())
	// Output: 1000
}

func ExampleArena_String() {
	var a arena.Arena
	buffer := []byte("oak")
	name := a.String(buffer)
	buffer[0] = 'X'
	fmt.Println(name)
	// Output: oak
}

func ExampleArena_CloneString() {
	var a arena.Arena
	document := strings.Repeat("a long document ", 1000)
	name := a.CloneString(document[2:6]) // does not keep the document alive
	fmt.Println(name)
	// Output: long
}

// A parser that tries one alternative after another takes back the values of a failed one.
func ExampleArena_Mark() {
	var a arena.Arena
	m := a.Mark()
	arena.New[Expr](&a)
	a.Rewind(m)
	fmt.Println(a.Stats().Used)
	// Output: 0
}

func ExampleArena_Rewind() {
	var a arena.Arena
	start := a.Mark()
	arena.New[int64](&a)
	a.Rewind(start)
	fmt.Println(a.Stats().Used)
	// Output: 0
}

func ExampleArena_Reset() {
	var a arena.Arena
	arena.New[Expr](&a).Name = "stale"
	a.Reset()
	fmt.Printf("%q\n", arena.New[Expr](&a).Name)
	// Output: ""
}

// Release frees an arena whose values may still be in use elsewhere: they stay valid.
func ExampleArena_Release() {
	var a arena.Arena
	e := arena.New[Expr](&a)
	e.Name = a.CloneString("still here")
	a.Release()
	fmt.Println(e.Name, a.Stats().Size)
	// Output: still here 0
}

func ExampleArena_Stats() {
	var a arena.Arena
	arena.New[float64](&a)
	a.CloneString("ash")
	fmt.Printf("%+v\n", a.Stats())
	// Output: {Types:0 Chunks:1 Used:16 Wasted:0 Size:256}
}

func ExampleAlloc() {
	type Node struct {
		Operator    byte
		Left, Right *Node
	}
	var a arena.Arena
	sum := arena.Alloc(&a, Node{'+', arena.Alloc(&a, Node{Operator: 'x'}), arena.Alloc(&a, Node{Operator: 'y'})})
	fmt.Printf("%c%c%c\n", sum.Left.Operator, sum.Operator, sum.Right.Operator)
	// Output: x+y
}

func ExampleCopy() {
	type Node struct {
		Op          byte
		Left, Right *Node
	}
	var a arena.Arena
	parse := func() *Node { return arena.Copy(&a, &Node{Op: '+', Left: arena.Copy(&a, &Node{Op: 'x'})}) } // was &Node{...}
	fmt.Printf("%c", parse().Op)
	// Output: +
}

func ExampleGrow() {
	var a arena.Arena
	var parts []fmt.Stringer // Append[fmt.Stringer] does the same
	parts = append(arena.Grow(&a, parts, 2), time.Second, time.March)
	fmt.Println(parts)
	// Output: [1s March]
}

func ExampleSliceOf() {
	var a arena.Arena
	fmt.Println(arena.SliceOf(&a, "ash", "oak"))
	// Output: [ash oak]
}

func ExampleExport() {
	type Answer struct {
		Title string
		Rows  []string
	}
	var a arena.Arena
	answer := arena.Alloc(&a, Answer{Title: a.String([]byte("trees")), Rows: arena.SliceOf(&a, a.CloneString("ash"))})
	kept := arena.Export(&a, answer)
	a.Reset()
	fmt.Println(kept.Title, kept.Rows)
	// Output: trees [ash]
}

func ExampleArena_Size() {
	var a arena.Arena
	arena.New[int](&a)
	fmt.Println(a.Size())
	// Output: 256
}

// A function with an arena parameter also serves callers without an arena, which pass nil.
func ExampleArena_nil() {
	type Node struct{ Name string }
	parse := func(a *arena.Arena, name []byte) *Node { return arena.Alloc(a, Node{a.String(name)}) }
	fmt.Println(parse(nil, []byte("ash")).Name) // on the Go heap
	// Output: ash
}

func ExamplePool() {
	var arenas arena.Pool // shared by all requests

	handle := func(request []byte) string {
		a := arenas.Get()
		defer arenas.Put(a)
		words := arena.Append(a, []string(nil), a.String(request), "!")
		return strings.Join(words, "") // a copy on the Go heap
	}
	fmt.Println(handle([]byte("hello")))
	// Output: hello!
}

func ExamplePool_Get() {
	var arenas arena.Pool
	a := arenas.Get()
	fmt.Println(a.Stats().Used)
	// Output: 0
}

func ExamplePool_Put() {
	arenas := arena.Pool{Options: arena.Options{Keep: 1 << 20}} // each arena keeps at most 1 MiB
	a := arenas.Get()
	arena.Make[byte](a, 10<<20)
	arenas.Put(a)
	fmt.Println(arenas.Get().Size() <= 1<<20)
	// Output: true
}
