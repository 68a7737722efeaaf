package forest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// plus returns the tree of the expression x+n.
func plus(n float64) exprflat.Tree {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	return must(b.Finish(b.Bin(expr.Add, b.Var("x"), b.Num(n))))
}

// temporary returns a path for a new forest, in a new folder. The caller removes the folder.
func temporary() string { return filepath.Join(must(os.MkdirTemp("", "forest")), "sums.forest") }

// sums returns a reader of a forest with the trees x+1 and x+2.
func sums() *forest.Reader[exprflat.Tree] {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path)) // an open Reader does not need the file's name
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	for i := range 2 {
		if err := w.Add(fmt.Sprint("x+", i+1), plus(float64(i+1))); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
}

func ExampleCreate() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w, err := forest.Create[exprflat.Tree](path, forest.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(w.Add("x+1", plus(1)), w.Close())
	// Output: <nil> <nil>
}

func ExampleAppend() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	for i := range 3 { // three programs in sequence
		w, err := forest.Append[exprflat.Tree](path, forest.Options{})
		if err != nil {
			panic(err)
		}
		if err := w.Add(fmt.Sprint("x+", i), plus(float64(i))); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
	}
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	fmt.Println(r.Len(), "trees")
	// Output: 3 trees
}

func ExampleWriter_Add() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	tree := plus(1)
	err := w.Add("x+1", tree)
	tree.Free() // the Writer has a copy
	fmt.Println(err, w.Close())
	// Output: <nil> <nil>
}

func ExampleWriter_Sync() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	defer w.Close()
	w.Add("x+1", plus(1))
	fmt.Println(w.Sync()) // from now on, kill -9 cannot lose the tree
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	fmt.Println(r.Len(), "tree")
	// Output:
	// <nil>
	// 1 tree
}

func ExampleWriter_Dropped() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	w.Add("x+1", plus(1))
	w.Close()
	f := must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	f.WriteString("half a segment") // left by a writer that was killed
	f.Close()
	w = must(forest.Append[exprflat.Tree](path, forest.Options{}))
	defer w.Close()
	fmt.Println(w.Dropped(), "bytes")
	// Output: 14 bytes
}

func ExampleWriter_Close() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	w.Add("x+1", plus(1))
	fmt.Println(w.Close()) // after nil, all data is on disk
	// Output: <nil>
}

func ExampleOpen() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	must(forest.Create[exprflat.Tree](path, forest.Options{})).Close()
	r, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{MaxNodes: 1 << 20})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	fmt.Println(r.Len(), "trees")
	// Output: 0 trees
}

func ExampleOpenAny() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	w.Add("x+1", plus(1))
	w.Close()
	r := must(forest.OpenAny(path, flat.LoadLimits{})) // of any schema
	defer r.Close()
	fmt.Println(must(r.At(0)))
	// Output: Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}
}

func ExampleReader_Len() {
	r := sums()
	defer r.Close()
	fmt.Println(r.Len())
	// Output: 2
}

func ExampleReader_At() {
	r := sums()
	defer r.Close()
	tree, err := r.At(1)
	fmt.Println(tree.Root().AsBin().R(), err)
	// Output: Num{Value: 2} <nil>
}

func ExampleReader_Name() {
	r := sums()
	defer r.Close()
	fmt.Println(r.Name(1))
	// Output: x+2
}

func ExampleReader_Lookup() {
	r := sums()
	defer r.Close()
	fmt.Println(r.Lookup("x+2"))
	fmt.Println(r.Lookup("y"))
	// Output:
	// 1 true
	// -1 false
}

func ExampleReader_All() {
	r := sums()
	defer r.Close()
	for item, err := range r.All {
		if err != nil {
			panic(err)
		}
		fmt.Println(item.Index, item.Name, item.Tree.NumNodes())
	}
	// Output:
	// 0 x+1 3
	// 1 x+2 3
}

func ExampleReader_Refresh() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	w.Add("x+1", plus(1))
	w.Close()
	fmt.Println(r.Refresh())
	// Output: 1 <nil>
}

func ExampleReader_Incomplete() {
	path := temporary()
	defer os.RemoveAll(filepath.Dir(path))
	must(forest.Create[exprflat.Tree](path, forest.Options{})).Close()
	f := must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	f.WriteString("half a segment") // by a writer that has not finished
	f.Close()
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	fmt.Println(r.Incomplete(), "bytes")
	// Output: 14 bytes
}

func ExampleReader_Close() {
	r := sums()
	clone := must(r.At(0)).Clone()
	fmt.Println(r.Close()) // this also invalidates the trees of r
	var file bytes.Buffer
	clone.WriteTo(&file)
	fmt.Println(clone)
	// Output:
	// <nil>
	// Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}
}
