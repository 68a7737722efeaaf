//go:build go1.27

package arena_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

func TestMethodsAreTheFunctions(t *testing.T) {
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		one := a.Alloc(leaf{name: "ash"})
		two := a.New[leaf]()
		list := a.Append(a.SliceOf(one), two)
		row := a.Make[int](3)
		if one.name != "ash" || len(list) != 2 || list[1] != two || len(row) != 3 || len(a.Clone(list)) != 2 || a.Of[leaf]() == nil {
			t.Errorf("%v %v %v %v", one, two, list, row)
		}
	}
}

func ExampleArena_Alloc() {
	type Node struct {
		Name     string
		Children []*Node
	}
	var a arena.Arena
	n := a.Alloc(Node{Name: "root", Children: a.SliceOf(a.Alloc(Node{Name: "ash"}))})
	fmt.Println(n.Children[0].Name)
	// Output: ash
}
