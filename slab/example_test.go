package slab_test

import (
	"fmt"

	"github.com/coppice-go/coppice/slab"
)

// A Tree is an ordinary Go value with ordinary pointers.
type Tree struct {
	Word        string
	Left, Right *Tree
}

func insert(s *slab.Slab[Tree], t *Tree, word string) *Tree {
	switch {
	case t == nil:
		t = s.New()
		t.Word = word
	case word < t.Word:
		t.Left = insert(s, t.Left, word)
	case word > t.Word:
		t.Right = insert(s, t.Right, word)
	}
	return t
}

func words(t *Tree) []string {
	if t == nil {
		return nil
	}
	return append(append(words(t.Left), t.Word), words(t.Right)...)
}

// One slab serves several phases. Each phase builds a tree, uses it, and ends with Reset.
func Example() {
	var trees slab.Slab[Tree]
	for _, sentence := range [][]string{{"oak", "ash", "yew"}, {"rose", "briar"}} {
		var root *Tree
		for _, word := range sentence {
			root = insert(&trees, root, word)
		}
		fmt.Println(words(root), trees.Len())
		trees.Reset() // root is stale from here on
	}
	// Output:
	// [ash oak yew] 3
	// [briar rose] 2
}

func ExampleNew() {
	s := &slab.Slab[Tree]{Options: slab.Options{FirstChunk: 10_000, MaxChunk: 10_000}}
	s.New()
	fmt.Println(s.Cap())
	// Output: 10000
}

func ExampleSlab_New() {
	var s slab.Slab[Tree]
	t := s.New()
	fmt.Printf("%+v\n", *t)
	// Output: {Word: Left:<nil> Right:<nil>}
}

func ExampleSlab_Make() {
	var s slab.Slab[Tree]
	row := s.Make(3)
	row[0].Right = &row[2]
	fmt.Println(len(row), cap(row), s.Len())
	// Output: 3 3 3
}

// If the count is known in advance, one allocation of the exact size suffices.
func ExampleSlab_Grow() {
	const depth = 4
	var s slab.Slab[Tree]
	s.Grow(1<<(depth+1) - 1)
	fmt.Println(s.Len(), s.Cap())
	// Output: 0 31
}

func ExampleSlab_Reset() {
	var s slab.Slab[Tree]
	s.New().Word = "stale"
	s.Reset()
	fmt.Printf("%d %q\n", s.Len(), s.New().Word)
	// Output: 0 ""
}

// Release ends the use of a slab whose values are still used elsewhere.
func ExampleSlab_Release() {
	var s slab.Slab[Tree]
	t := s.New()
	t.Word = "still here"
	s.Release()
	fmt.Println(t.Word, s.Cap())
	// Output: still here 0
}

func ExampleSlab_Len() {
	var s slab.Slab[Tree]
	s.New()
	s.Make(6)
	fmt.Println(s.Len())
	// Output: 7
}

func ExampleSlab_Cap() {
	var s slab.Slab[[16]byte]
	s.New()
	fmt.Println(s.Cap()) // 256 bytes of slots
	// Output: 16
}

func ExampleSlab_Stats() {
	s := &slab.Slab[[16]byte]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100}}
	s.New()
	s.Make(99)
	s.Make(150)
	fmt.Printf("%+v\n", s.Stats())
	// Output: {Len:250 Cap:250 Wasted:0 Chunks:2 Size:4000}
}

// A parser that abandons one alternative takes back its values before it tries the next.
func ExampleSlab_Mark() {
	var s slab.Slab[Tree]
	root := s.New()
	m := s.Mark()
	root.Left = s.New()
	s.Rewind(m)
	root.Left = nil
	fmt.Println(s.Len())
	// Output: 1
}

func ExampleSlab_Rewind() {
	var s slab.Slab[Tree]
	start := s.Mark()
	s.Make(1000)
	s.Rewind(start)
	fmt.Println(s.Len(), s.Cap())
	// Output: 0 1000
}

func ExampleSlab_Extend() {
	var s slab.Slab[Tree]
	row := s.Make(2)
	longer, ok := s.Extend(row, 3)
	fmt.Println(len(longer), cap(longer), &longer[0] == &row[0], ok)
	// Output: 2 5 true true
}

func ExampleSlab_Alloc() {
	type Node struct {
		Operator    byte
		Left, Right *Node
	}
	var nodes slab.Slab[Node]
	sum := nodes.Alloc(Node{'+', nodes.Alloc(Node{Operator: 'x'}), nodes.Alloc(Node{Operator: 'y'})})
	fmt.Printf("%c%c%c\n", sum.Left.Operator, sum.Operator, sum.Right.Operator)
	// Output: x+y
}

func ExampleSlab_SliceOf() {
	var names slab.Slab[string]
	fmt.Println(names.SliceOf("ash", "oak"))
	// Output: [ash oak]
}

func ExampleChunks_New() {
	var counters slab.Chunks[int]
	n := counters.New()
	*n++
	fmt.Println(*n)
	// Output: 1
}

func ExampleChunks_Alloc() {
	var points slab.Chunks[[2]int]
	fmt.Println(*points.Alloc([2]int{3, 4}))
	// Output: [3 4]
}

func ExampleChunks_Make() {
	var lists slab.Chunks[string]
	list := lists.Make(2)
	list[0] = "ash"
	fmt.Println(len(list), cap(list))
	// Output: 2 2
}

func ExampleChunks_SliceOf() {
	var lists slab.Chunks[string]
	fmt.Println(lists.SliceOf("ash", "oak"))
	// Output: [ash oak]
}

func ExampleChunks_Grow() {
	var counters slab.Chunks[int]
	counters.Grow(1000) // the next 1000 values come from one chunk
	fmt.Println(*counters.New())
	// Output: 0
}
