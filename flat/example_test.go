package flat_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// sum returns a tree of the expression x+1.
func sum() exprflat.Tree {
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: 3})
	tree, err := b.Finish(b.Bin(expr.Add, b.Var("x"), b.Num(1)))
	if err != nil {
		panic(err)
	}
	return tree
}

func ExampleTree_Flat() {
	size := func(t *flat.Tree) int { return t.NumWords() } // accepts any schema
	fmt.Println(size(sum().Flat()))
	// Output: 9
}

func ExampleTree_NumNodes() {
	fmt.Println(sum().NumNodes())
	// Output: 3
}

func ExampleTree_NumBytes() {
	var file bytes.Buffer
	tree := sum()
	tree.WriteTo(&file)
	fmt.Println(tree.NumBytes() == int64(file.Len()))
	// Output: true
}

func ExampleTree_NumWords() {
	tree := sum() // word 0, 2 words for Var, 3 for Num, 3 for Bin
	fmt.Println(tree.NumWords())
	// Output: 9
}

func ExampleTree_String() {
	fmt.Println(sum())
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}
}

func ExampleTree_Dump() {
	sum().Dump(os.Stdout)
	// Output:
	// 3 records, 9 words, 1 strings of 1 bytes, root #6
	// #1      0x000000fc  Var{Name: "x"}
	// #3      0x00000104  Num{Value: 1}
	// #6      0x00000110  Bin{Op: 0, L: #1, R: #3}
}

func ExampleTree_Free() {
	tree := sum()
	name := tree.Root().AsBin().L().AsVar().Name()
	tree.Free()
	fmt.Println(tree, name) // strings remain valid
	// Output: nil x
}

func ExampleTree_Clone() {
	tree := sum()
	clone := tree.Clone()
	clone.Root().AsBin().R().AsNum().SetValue(2)
	fmt.Println(tree.Root().AsBin().R(), clone.Root().AsBin().R())
	// Output: Num{Value: 1} Num{Value: 2}
}

func ExampleTree_CloneInto() {
	tree := sum()
	copied := sum()
	for range 3 {
		copied = tree.CloneInto(copied) // a single small allocation
	}
	fmt.Println(copied)
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}
}

func ExampleTree_Compact() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	b.Var("not used")
	tree, err := b.Finish(b.Bin(expr.Add, b.Var("x"), b.Num(1)))
	if err != nil {
		panic(err)
	}
	var ours, theirs bytes.Buffer
	tree.Compact().WriteTo(&ours)
	sum().Compact().WriteTo(&theirs)
	fmt.Println(bytes.Equal(ours.Bytes(), theirs.Bytes()))
	// Output: true
}

func ExampleTree_WriteTo() {
	var file bytes.Buffer
	if _, err := sum().WriteTo(&file); err != nil {
		panic(err)
	}
	tree, err := exprflat.Load(file.Bytes(), flat.LoadLimits{MaxDepth: 100})
	fmt.Println(tree, err)
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}} <nil>
}

// mapped writes the tree of x+1 to a file, and opens the file.
func mapped() exprflat.Tree {
	dir, err := os.MkdirTemp("", "flat")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) // the mapping remains valid
	path := filepath.Join(dir, "sum.flat")
	file, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := sum().WriteTo(file); err != nil {
		panic(err)
	}
	tree, err := exprflat.Open(path, flat.LoadLimits{})
	if err != nil {
		panic(err)
	}
	return tree
}

func ExampleTree_Close() {
	tree := mapped()
	defer tree.Close()
	fmt.Println(tree)
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}
}

func ExampleGuard() {
	tree := mapped()
	defer tree.Close()
	err := flat.Guard(func() { fmt.Println(tree.Root().Kind()) }) // the file was not truncated
	fmt.Println(err)
	// Output:
	// Bin
	// <nil>
}

func ExampleLoadAny() {
	var file bytes.Buffer
	sum().WriteTo(&file)
	tree, err := flat.LoadAny(file.Bytes(), flat.LoadLimits{}) // accepts any schema
	fmt.Println(tree, err)
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}} <nil>
}

func Example_fold() {
	depth := exprflat.Fold(sum(), func(n exprflat.Any, done exprflat.Results[int]) int {
		if n.Kind() != exprflat.KindBin {
			return 1
		}
		bin := n.AsBin()
		return 1 + max(done.Of(bin.L().AsAny()), done.Of(bin.R().AsAny()))
	})
	fmt.Println(depth)
	// Output: 2
}

func ExampleReadAny() {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree, _ := b.Finish(b.Var("x"))
	stream := new(bytes.Buffer)
	tree.WriteTo(stream)
	any, err := flat.ReadAny(stream, flat.LoadLimits{MaxBytes: 1 << 20})
	fmt.Println(any, err)
	// Output: Var{Name: "x"} <nil>
}
