package inline_test

import (
	"fmt"
	"strconv"

	"github.com/coppice-go/coppice/inline"
)

// A Node has inline storage for two children, but may have any number of them.
type Node struct {
	Name     string
	Children inline.Vec[*Node, [2]*Node]
}

// Most nodes have few children, whose pointers fit in the node and need no further allocation.
func Example() {
	var root Node
	for _, name := range []string{"oak", "ash", "yew"} {
		root.Children.Append(&Node{Name: name})
		fmt.Println(root.Children.Len(), root.Children.Inline())
	}
	for _, child := range root.Children.Slice() {
		fmt.Print(child.Name, " ")
	}
	// Output:
	// 1 true
	// 2 true
	// 3 false
	// oak ash yew
}

// The key is built on the stack, and the lookup does not allocate a string.
func Example_key() {
	stock := map[string]int{"oak/42": 7}

	var key inline.Vec[byte, [32]byte]
	var digits [20]byte
	key.AppendSlice([]byte("oak")...)
	key.Append('/')
	key.AppendSlice(strconv.AppendInt(digits[:0], 42, 10)...)
	fmt.Println(stock[string(key.Slice())], key.Inline())
	// Output: 7 true
}

func ExampleVec_Append() {
	var v inline.Vec[string, [2]string]
	v.Append("a")
	v.Append("b")
	v.Append(*v.At(0))
	fmt.Println(v.Slice(), v.Inline())
	// Output: [a b a] false
}

func ExampleVec_AppendSlice() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(1, 2)
	v.AppendSlice(v.Slice()...)
	fmt.Println(v.Slice())
	// Output: [1 2 1 2]
}

func ExampleVec_At() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(1, 2)
	*v.At(1) += 40
	fmt.Println(*v.At(1))
	// Output: 42
}

func ExampleVec_Slice() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(3, 1, 2)
	s := v.Slice()
	s[0] = 30
	fmt.Println(len(s), cap(s), *v.At(0))
	// Output: 3 3 30
}

func ExampleVec_Len() {
	var v inline.Vec[int, [8]int]
	v.Append(7)
	fmt.Println(v.Len())
	// Output: 1
}

func ExampleVec_Cap() {
	var v inline.Vec[int, [8]int]
	fmt.Println(v.Cap())
	// Output: 8
}

func ExampleVec_Inline() {
	var v inline.Vec[int, [1]int]
	v.Append(1)
	fmt.Println(v.Inline())
	v.Append(2)
	fmt.Println(v.Inline())
	// Output:
	// true
	// false
}

func ExampleVec_All() {
	var v inline.Vec[string, [4]string]
	v.AppendSlice("oak", "ash")
	for i, name := range v.All() {
		v.Append(strconv.Itoa(i) + name) // not yielded: All stops at the initial length
	}
	fmt.Println(v.Slice())
	// Output: [oak ash 0oak 1ash]
}

// A Vec serves as a stack of pending work.
func ExampleVec_Pop() {
	var work inline.Vec[int, [16]int]
	work.AppendSlice(1, 2)
	for n, ok := work.Pop(); ok; n, ok = work.Pop() {
		fmt.Print(n, " ")
		if n == 2 {
			work.AppendSlice(20, 21)
		}
	}
	// Output: 2 21 20 1
}

func ExampleVec_Insert() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(1, 4)
	v.Insert(1, 2, 3)
	fmt.Println(v.Slice())
	// Output: [1 2 3 4]
}

func ExampleVec_Delete() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(1, 2, 3, 4)
	v.Delete(1, 3)
	fmt.Println(v.Slice())
	// Output: [1 4]
}

func ExampleVec_Truncate() {
	var v inline.Vec[int, [8]int]
	v.AppendSlice(1, 2, 3, 4)
	v.Truncate(1)
	fmt.Println(v.Slice())
	// Output: [1]
}

func ExampleVec_Grow() {
	var v inline.Vec[int, [8]int]
	v.Grow(100)
	fmt.Println(v.Len(), v.Cap() >= 100, v.Inline())
	// Output: 0 true false
}

// Clear keeps the allocated memory. Assigning the zero value releases it.
func ExampleVec_Clear() {
	var v inline.Vec[int, [2]int]
	v.AppendSlice(1, 2, 3)
	v.Clear()
	fmt.Println(v.Len(), v.Inline())
	v = inline.Vec[int, [2]int]{}
	fmt.Println(v.Len(), v.Inline())
	// Output:
	// 0 false
	// 0 true
}

func ExampleVec_Clone() {
	var v inline.Vec[int, [2]int]
	v.AppendSlice(1, 2, 3)
	c := v.Clone()
	*c.At(0) = 10
	fmt.Println(v.Slice(), c.Slice())
	// Output: [1 2 3] [10 2 3]
}
