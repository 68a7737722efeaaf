package arena_test

import (
	"fmt"

	"github.com/coppice-go/coppice/arena"
)

func ExampleBuilder() {
	var a arena.Arena
	b := arena.Builder{Arena: &a}
	b.WriteString("ash")
	fmt.Fprintf(&b, ", %d %s", 2, "oaks")
	fmt.Println(b.String())
	// Output: ash, 2 oaks
}

func ExampleBuilder_Write() {
	var b arena.Builder // without an Arena, it builds on the Go heap
	n, err := b.Write([]byte("ash"))
	fmt.Println(n, err, b.String())
	// Output: 3 <nil> ash
}

func ExampleBuilder_WriteString() {
	var b arena.Builder
	n, err := b.WriteString("ash")
	fmt.Println(n, err, b.String())
	// Output: 3 <nil> ash
}

func ExampleBuilder_WriteByte() {
	var b arena.Builder
	b.WriteByte('a')
	fmt.Println(b.String())
	// Output: a
}

func ExampleBuilder_WriteRune() {
	var b arena.Builder
	n, _ := b.WriteRune('é')
	fmt.Println(n, b.String())
	// Output: 2 é
}

func ExampleBuilder_Grow() {
	var a arena.Arena
	b := arena.Builder{Arena: &a}
	b.Grow(1000) // allocate once for a text of known length
	fmt.Println(b.Len())
	// Output: 0
}

func ExampleBuilder_Len() {
	var b arena.Builder
	b.WriteString("ash")
	fmt.Println(b.Len())
	// Output: 3
}

func ExampleBuilder_String() {
	var b arena.Builder
	b.WriteString("ash")
	before := b.String()
	b.WriteString(" and oak")
	fmt.Println(before)
	fmt.Println(b.String())
	// Output:
	// ash
	// ash and oak
}

func ExampleBuilder_Bytes() {
	var b arena.Builder
	b.WriteString("ash")
	fmt.Println(b.Bytes())
	// Output: [97 115 104]
}

func ExampleBuilder_Reset() {
	var a arena.Arena
	b := arena.Builder{Arena: &a}
	b.WriteString("ash")
	ash := b.String()
	b.Reset()
	b.WriteString("oak")
	fmt.Println(ash, b.String())
	// Output: ash oak
}

func ExampleInterner() {
	var a arena.Arena
	names := arena.Interner{Arena: &a}
	source := []byte("x + x * x")
	for _, at := range []int{0, 4, 8} {
		fmt.Print(names.Bytes(source[at:at+1]), " ")
	}
	fmt.Println(names.Len())
	// Output: x x x 1
}

func ExampleInterner_Bytes() {
	var names arena.Interner // without an Arena, its strings are on the Go heap
	fmt.Println(names.Bytes([]byte("ash")))
	// Output: ash
}

func ExampleInterner_String() {
	var names arena.Interner
	source := "a long source text"
	name := names.String(source[2:6]) // does not keep source alive
	fmt.Println(name)
	// Output: long
}

func ExampleInterner_Len() {
	var names arena.Interner
	names.String("ash")
	names.String("ash")
	fmt.Println(names.Len())
	// Output: 1
}

func ExampleInterner_Reset() {
	var names arena.Interner
	ash := names.String("ash")
	names.Reset()
	fmt.Println(ash, names.Len())
	// Output: ash 0
}

func ExampleArena_Concat() {
	var a arena.Arena
	schema, table := "forest", "trees"
	fmt.Println(a.Concat(schema, ".", table)) // schema + "." + table
	// Output: forest.trees
}

func ExampleArena_Join() {
	var a arena.Arena
	lines := []string{"ash", "oak"}
	fmt.Printf("%q\n", a.Join(lines, "\n"))
	// Output: "ash\noak"
}
