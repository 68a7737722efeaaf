package flat_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/cases/dagflat"
	"github.com/coppice-go/coppice/flat/cases/every"
	"github.com/coppice-go/coppice/flat/cases/everyflat"
	"github.com/coppice-go/coppice/flat/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/cases/version1"
	"github.com/coppice-go/coppice/flat/cases/version1flat"
	"github.com/coppice-go/coppice/flat/cases/version2flat"
	"github.com/coppice-go/coppice/flat/example/expr"
	"github.com/coppice-go/coppice/flat/example/exprflat"
	"github.com/coppice-go/coppice/flat/flattest"
)

// The vectors are files that every reader of the format must accept (NAME.flat, with what Dump prints of it in
// NAME.txt) or refuse (invalid/NAME.flat, with the error in NAME.txt). The first word of a name is the schema.
// go test ./flat -run Vectors -update writes them.
var update = flag.Bool("update", false, "write the vectors")

const vectorsDir = "testdata/vectors"

// A format is a generated package as the tests of files need it.
type format struct {
	load func(data []byte, limits flat.LoadLimits) (*flat.Tree, error)
	// walk reads everything in a tree, in every way.
	walk func(*flat.Tree) error
}

var formats = map[string]format{
	"expr": {
		func(data []byte, l flat.LoadLimits) (*flat.Tree, error) {
			t, err := exprflat.Load(data, l)
			return t.Tree, err
		},
		func(t *flat.Tree) error {
			tree := exprflat.Tree{Tree: t}
			for range tree.Root().Preorder {
			}
			_, err := exprflat.ToTree(tree, flat.LoadLimits{})
			return errors.Join(err, walkFlat(t))
		},
	},
	"every": {
		func(data []byte, l flat.LoadLimits) (*flat.Tree, error) {
			t, err := everyflat.Load(data, l)
			return t.Tree, err
		},
		func(t *flat.Tree) error {
			tree := everyflat.Tree{Tree: t}
			for range tree.Root().Preorder {
			}
			_, err := everyflat.ToTree(tree, flat.LoadLimits{})
			return errors.Join(err, walkFlat(t))
		},
	},
	"forty": {
		func(data []byte, l flat.LoadLimits) (*flat.Tree, error) {
			t, err := fortyflat.Load(data, l)
			return t.Tree, err
		},
		func(t *flat.Tree) error {
			_, err := fortyflat.ToTree(fortyflat.Tree{Tree: t}, flat.LoadLimits{})
			return errors.Join(err, walkFlat(t))
		},
	},
	"dag": {
		func(data []byte, l flat.LoadLimits) (*flat.Tree, error) {
			t, err := dagflat.Load(data, l)
			return t.Tree, err
		},
		func(t *flat.Tree) error {
			_, err := dagflat.ToTree(dagflat.Tree{Tree: t}, flat.LoadLimits{})
			return errors.Join(err, walkFlat(t))
		},
	},
	"version1": {
		func(data []byte, l flat.LoadLimits) (*flat.Tree, error) {
			t, err := version2flat.Load(data, l)
			return t.Tree, err
		},
		func(t *flat.Tree) error {
			_, err := version2flat.ToTree(version2flat.Tree{Tree: t}, flat.LoadLimits{})
			return errors.Join(err, walkFlat(t))
		},
	},
}

// walkFlat is what package flat itself can do with a tree.
func walkFlat(t *flat.Tree) error {
	count := 0
	for n := t.First(); !n.IsNil(); n = n.Next() {
		count++
	}
	if count != t.NumNodes() {
		return errors.New("All meets another number of nodes than NumNodes says")
	}
	_ = t.String()
	t.Compact().Clone()
	return t.Dump(new(bytes.Buffer))
}

func formatOf(name string) format {
	prefix, _, _ := strings.Cut(filepath.Base(name), "-")
	return formats[prefix]
}

// must is for trees that tests build by hand.
func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

func fileOf(t *flat.Tree) []byte {
	var b bytes.Buffer
	must(t.WriteTo(&b))
	return b.Bytes()
}

// valid makes all valid vectors.
func valid() map[string][]byte {
	all := map[string][]byte{}
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	all["expr-nil"] = fileOf(must(b.Finish(exprflat.Expr{})).Tree)
	all["expr-one"] = fileOf(must(b.Finish(b.Num(1.5))).Tree)
	doc, none := "the length", ""
	sum := b.Bin(expr.Add, b.Bin(expr.Mul, b.Var("x"), b.Var("x")), b.Bin(expr.Mul, b.Var("y"), b.Num(-2)))
	b.Var("an orphan")
	call := b.Call("sqrt", []exprflat.Expr{sum, {}, b.Call("f", nil, &none)}, &doc)
	all["expr-call"] = fileOf(must(b.Finish(call)).Tree)

	variants := []any{(*every.Null)(nil), (*every.Scalars)(nil), (*every.Named)(nil), (*every.Optional)(nil),
		(*every.Interned)(nil), (*every.Links)(nil), (*every.Lists)(nil), (*every.Arrays)(nil), (*every.Inline)(nil),
		(*every.Full)(nil), (*every.Value)(nil), (*every.Words)(nil)}
	for i, v := range variants[1:] { // each alone, with a few below it
		random := rand.New(rand.NewPCG(uint64(i), 7))
		root := flattest.Random[every.Links](random, 4, variants)
		for typeName(root.Node) != typeName(v) {
			root.Node = flattest.Random[every.Node](random, 3, []any{v, variants[0]})
		}
		t := must(everyflat.FromTree(&root, flat.LoadLimits{}))
		all["every-"+strings.ToLower(strings.TrimPrefix(typeName(v), "*every."))] = fileOf(t.Tree)
	}
	e := everyflat.NewBuilder(flat.BuilderOptions{})
	all["every-null"] = fileOf(must(e.Finish(e.Null())).Tree)
	long := everyflat.NewBuilder(flat.BuilderOptions{}) // 255 does not fit into eight bits with all ones taken
	lists := long.Lists(7, make([]bool, 255), nil, []int8{-1}, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
	all["every-long"] = fileOf(must(long.Finish(lists)).Tree)

	f := fortyflat.NewBuilder(flat.BuilderOptions{})
	all["forty-two"] = fileOf(must(f.Finish(f.Op37(f.Op1(f.Num(1), f.Var("x")), f.Call("g", []fortyflat.Expr{f.Num(3)})))).Tree)
	s := dagflat.NewBuilder(flat.BuilderOptions{})
	atom := s.Atom("a")
	pair := s.Pair(atom, atom)
	all["dag-dag"] = fileOf(must(s.Finish(s.List([]dagflat.Term{pair, pair, atom}))).Tree)
	v := version1flat.NewBuilder(flat.BuilderOptions{})
	size := version1flat.SizeFields{W: 3, H: 4}
	box := v.Box(9, size, []version1flat.SizeFields{size, {W: 1}}, []version1flat.Node{v.Text(true, []string{"a", ""}), {}},
		[2]version1flat.SizeFields{{H: 65535}, size}, []bool{true, false, true, true, true}, -5)
	all["version1-box"] = fileOf(must(v.Finish(box.AsBox())).Tree)
	return all
}

func TestVectorsAreAccepted(t *testing.T) {
	for name, data := range valid() {
		path := filepath.Join(vectorsDir, name)
		tree, err := formatOf(name).load(data, flat.LoadLimits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := formatOf(name).walk(tree); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var dump strings.Builder
		if err := must(flat.LoadAny(data, flat.LoadLimits{})).Dump(&dump); err != nil {
			t.Fatal(err)
		}
		keep(t, path+".flat", data)
		keep(t, path+".txt", []byte(dump.String()))
	}
	files := must(filepath.Glob(filepath.Join(vectorsDir, "*.flat")))
	if len(files) != len(valid()) {
		t.Errorf("%d files in %s, want %d; go test ./flat -run Vectors -update", len(files), vectorsDir, len(valid()))
	}
}

// keep compares a file with what it must hold, or writes it.
func keep(t *testing.T, path string, data []byte) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666)); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, data) {
		t.Errorf("%s differs from what is made today (%v); go test ./flat -run Vectors -update", path, err)
	}
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// The differential test of values that the vectors hold, in a version that came later.
func TestOldFilesLoad(t *testing.T) {
	want := &version1.Box{Kind: 9, Size: version1.Size{W: 3, H: 4}, Sizes: []version1.Size{{W: 3, H: 4}, {W: 1}},
		Kids: []version1.Node{&version1.Text{Bold: true, Words: []string{"a", ""}}, nil},
		Long: -5, Flags: []bool{true, false, true, true, true}, Edges: [2]version1.Size{{H: 65535}, {W: 3, H: 4}}}
	data := fileOf(must(version1flat.FromTree(want, flat.LoadLimits{})).Tree)
	path := filepath.Join(t.TempDir(), "old")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tree := range map[string]version2flat.Tree{
		"Load": must(version2flat.Load(data, flat.LoadLimits{})),
		"Open": must(version2flat.Open(path, flat.LoadLimits{})),
	} {
		box := tree.Root()
		if box.Kind() != 9 || box.Size().W() != 3 || box.Size().Unit() != 0 || box.NumSizes() != 2 || box.SizesAt(1).W() != 1 ||
			box.Kid(0).AsText().Word(0) != "a" || box.Edge(0).H() != 65535 || !box.Flag(4) || box.Flag(1) || box.Long() != -5 ||
			box.Level() != 0 || box.NumNotes() != 0 || box.Size2().H() != 0 || !box.Kid(1).IsNil() {
			t.Errorf("%s: %v", name, tree)
		}
		if _, ok := box.Kid(0).AsText().Style(); ok || box.Kid(0).AsText().Lang() != "" {
			t.Errorf("%s: new fields are not zero: %v", name, tree)
		}
		again := must(version2flat.Load(fileOf(tree.Tree), flat.LoadLimits{}))
		if again.String() != tree.String() {
			t.Errorf("%s: written and loaded it is %v, want %v", name, again, tree)
		}
		box.Kid(0).AsText().SetLang("en") // a converted tree can be changed
		tree.Free()
	}
}
