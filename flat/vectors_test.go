package flat_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/narrow"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
	"github.com/coppice-go/coppice/flat/internal/cases/version1"
	"github.com/coppice-go/coppice/flat/internal/cases/version1flat"
	"github.com/coppice-go/coppice/flat/internal/cases/version2flat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// The vectors are files that each reader of the format must accept or reject. If NAME.flat is
// valid, NAME.txt contains its dump. If invalid/NAME.flat is not, its NAME.txt contains the error.
// The first word of NAME is the schema. go test ./flat -run Vectors -update writes the files.
var update = flag.Bool("update", false, "write the vectors")

const vectorsDir = "testdata/vectors"

// A format provides access to a generated package, for tests of files.
type format struct {
	// open loads a file. It also returns walk, which reads all data in the tree in every way.
	open func(data []byte, limits flat.LoadLimits) (t *flat.Tree, walk func() error, err error)
}

// load loads a file, for tests that do not walk the tree.
func (f format) load(data []byte, limits flat.LoadLimits) (*flat.Tree, error) {
	t, _, err := f.open(data, limits)
	return t, err
}

// formatOfPackage returns the format of a package with the given Load function. walk reads all data
// in one of its trees.
func formatOfPackage[T interface{ Flat() *flat.Tree }](load func([]byte, flat.LoadLimits) (T, error), walk func(T) error) format {
	return format{func(data []byte, limits flat.LoadLimits) (*flat.Tree, func() error, error) {
		t, err := load(data, limits)
		return t.Flat(), func() error { return errors.Join(walk(t), walkFlat(t.Flat())) }, err
	}}
}

var formats = map[string]format{
	"expr": formatOfPackage(exprflat.Load, func(t exprflat.Tree) error {
		for range t.Root().Preorder {
		}
		_, err := exprflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"every": formatOfPackage(everyflat.Load, func(t everyflat.Tree) error {
		for range t.Root().Preorder {
		}
		_, err := everyflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"ast": formatOfPackage(astflat.Load, func(t astflat.Tree) error {
		for range t.Root().AsAny().Preorder {
		}
		_, err := astflat.ToTree(t, flat.LoadLimits{})
		if errors.Is(err, flat.ErrRange) && strconv.IntSize == 32 {
			err = nil // the file has an int of more than 32 bits
		}
		return err
	}),
	"links": formatOfPackage(linksflat.Load, func(t linksflat.Tree) error {
		_, err := linksflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"forty": formatOfPackage(fortyflat.Load, func(t fortyflat.Tree) error {
		_, err := fortyflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"dag": formatOfPackage(dagflat.Load, func(t dagflat.Tree) error {
		_, err := dagflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"narrow": formatOfPackage(narrowflat.Load, func(t narrowflat.Tree) error {
		for range t.Root().Preorder {
		}
		_, err := narrowflat.ToTree(t, flat.LoadLimits{})
		return err
	}),
	"web1": formatOfPackage(web2flat.Load, walkWeb),
	"web2": formatOfPackage(web2flat.Load, walkWeb),
	"version1": formatOfPackage(version2flat.Load, func(t version2flat.Tree) error {
		_, err := version2flat.ToTree(t, flat.LoadLimits{})
		return err
	}),
}

func walkWeb(t web2flat.Tree) error {
	for range t.Root().AsAny().Preorder {
	}
	_, err := web2flat.ToTree(t, flat.LoadLimits{})
	return err
}

// walkFlat reads all data in a tree through package flat.
func walkFlat(t *flat.Tree) error {
	count := 0
	for n := (*flatimpl.Tree)(t).First(); !n.IsNil(); n = n.Next() {
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

// must returns t. It panics if err is not nil.
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

// valid returns the contents of all valid vectors, by name.
func valid() map[string][]byte {
	all := map[string][]byte{}
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	all["expr-nil"] = fileOf(must(b.Finish(exprflat.Expr{})).Flat())
	all["expr-one"] = fileOf(must(b.Finish(b.Num(1.5))).Flat())
	doc, none := "the length", ""
	sum := b.Bin(expr.Add, b.Bin(expr.Mul, b.Var("x"), b.Var("x")), b.Bin(expr.Mul, b.Var("y"), b.Num(-2)))
	b.Var("an orphan")
	call := b.Call("sqrt", []exprflat.Expr{sum, {}, b.Call("f", nil, &none)}, &doc)
	all["expr-call"] = fileOf(must(b.Finish(call)).Flat())

	variants := []any{(*every.Null)(nil), (*every.Scalars)(nil), (*every.Named)(nil), (*every.Optional)(nil),
		(*every.Interned)(nil), (*every.Links)(nil), (*every.Lists)(nil), (*every.Arrays)(nil), (*every.Inline)(nil),
		(*every.Full)(nil), (*every.Value)(nil), (*every.Words)(nil)}
	for i, v := range variants[1:] { // each variant, with a few others below it
		r := rand.New(rand.NewPCG(uint64(i), 7))
		root := random.Tree[every.Links](r, 4, variants)
		for typeName(root.Node) != typeName(v) {
			root.Node = random.Tree[every.Node](r, 3, []any{v, variants[0]})
		}
		t := must(everyflat.FromTree(&root, flat.LoadLimits{}))
		all["every-"+strings.ToLower(strings.TrimPrefix(typeName(v), "*every."))] = fileOf(t.Flat())
	}
	e := everyflat.NewBuilder(flat.BuilderOptions{})
	all["every-null"] = fileOf(must(e.Finish(e.Null())).Flat())
	long := everyflat.NewBuilder(flat.BuilderOptions{}) // 255 is the all-ones value of eight bits, which is reserved
	lists := long.Lists(everyflat.ListsFields{Small: 7, Bools: make([]bool, 255), I8: []int8{-1}})
	all["every-long"] = fileOf(must(long.Finish(lists)).Flat())

	f := fortyflat.NewBuilder(flat.BuilderOptions{})
	all["forty-two"] = fileOf(must(f.Finish(f.Op37(f.Op1(f.Num(1), f.Var("x")), f.Call("g", []fortyflat.Expr{f.Num(3)})))).Flat())
	s := dagflat.NewBuilder(flat.BuilderOptions{})
	atom := s.Atom("a")
	pair := s.Pair(atom, atom)
	all["dag-dag"] = fileOf(must(s.Finish(s.List([]dagflat.Term{pair, pair, atom}))).Flat())
	v := version1flat.NewBuilder(flat.BuilderOptions{})
	size := version1flat.SizeFields{W: 3, H: 4}
	run := func() version1flat.RunFields {
		return version1flat.RunFields{Name: "r", Cuts: []uint16{1, 2, 3}, Of: []version1flat.Node{v.Text(false, nil), {}}}
	}
	box := v.Box(version1flat.BoxFields{Kind: 9, Size: size, Sizes: []version1flat.SizeFields{size, {W: 1}}, Kids: []version1flat.Node{v.Text(true, []string{"a", ""}), {}},
		Edges: [2]version1flat.SizeFields{{H: 65535}, size}, Flags: []bool{true, false, true, true, true}, Long: -5,
		Runs: []version1flat.RunFields{run(), {}, run()}, Main: run(), Both: [2]version1flat.RunFields{{}, run()}})
	all["version1-box"] = fileOf(must(v.Finish(box.AsBox())).Flat())
	all["narrow-extremes"] = fileOf(must(narrowflat.FromTree(extremes(), flat.LoadLimits{})).Flat())
	all["links-scopes"] = fileOf(must(linksflat.FromTree(linkedScopes(), flat.LoadLimits{})).Flat())
	all["web1-old"] = fileOf(oldWeb(1).Flat())
	all["web2-links"] = fileOf(inWeb2(oldWeb(7)).Flat())
	all["ast-file"] = fileOf(must(astflat.FromTree(sourceFile(), flat.LoadLimits{})).Flat())
	return all
}

// extremes returns a tree that contains the minimum and the maximum of each 24-bit integer field.
func extremes() *narrow.Lists {
	least, most, greatest := flat.Int24(flat.MinInt24), flat.Int24(flat.MaxInt24), flat.Uint24(flat.MaxUint24)
	span := narrow.Span{On: true, From: greatest, Kind: 255, By: least, End: &greatest}
	return &narrow.Lists{U: []flat.Uint24{0, 1, greatest}, I: []flat.Int24{least, -1, 0, most}, Grid: [][2]flat.Int24{{least, most}, {-2, 2}},
		Spans: []narrow.Span{span, {}}, Nodes: []narrow.Node{
			&narrow.Ident{At: greatest, Name: "x"}, &narrow.Ident{Name: "x"},
			&narrow.Move{By: least, Fast: true, Back: -1, From: greatest, Level: -1}, &narrow.Move{By: most, Back: most, Level: 127},
			&narrow.Optional{U: &greatest, I: &least}, &narrow.Optional{I: &most}, &narrow.Optional{},
			&narrow.Arrays{U: [3]flat.Uint24{1, greatest, 0}, I: [2][2]flat.Int24{{least, -1}, {most, 1}}, Ends: [2]narrow.Span{{}, span}},
		}}
}

func TestVectorsAreAccepted(t *testing.T) {
	for name, data := range valid() {
		path := filepath.Join(vectorsDir, name)
		_, walk, err := formatOf(name).open(data, flat.LoadLimits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := walk(); err != nil {
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

// keep fails the test unless the file contains data. With -update, it writes the file instead.
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

// TestOldFilesLoad verifies that a later version of a schema reads the same values from a file of
// an earlier version. New fields are zero.
func TestOldFilesLoad(t *testing.T) {
	want := &version1.Box{Kind: 9, Size: version1.Size{W: 3, H: 4}, Sizes: []version1.Size{{W: 3, H: 4}, {W: 1}},
		Kids: []version1.Node{&version1.Text{Bold: true, Words: []string{"a", ""}}, nil},
		Long: -5, Flags: []bool{true, false, true, true, true}, Edges: [2]version1.Size{{H: 65535}, {W: 3, H: 4}},
		Runs: []version1.Run{{Name: "r", Of: []version1.Node{&version1.Text{Words: []string{"w"}}}}, {Cuts: []uint16{1, 2, 3}}}, Both: [2]version1.Run{{}, {Cuts: []uint16{4}}}}
	data := fileOf(must(version1flat.FromTree(want, flat.LoadLimits{})).Flat())
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
			box.Level() != 0 || box.NumNotes() != 0 || box.Size2().H() != 0 || !box.Kid(1).IsNil() || box.Size().NumMarks() != 0 || box.SizesAt(1).NumMarks() != 0 ||
			box.Run(0).OfAt(0).AsText().Word(0) != "w" || box.Run(1).Cut(2) != 3 || box.Run(1).NumSubs() != 0 || box.BothAt(1).Cut(0) != 4 || box.Main().NumCuts() != 0 ||
			box.PairAt(1).NumSubs() != 0 {
			t.Errorf("%s: %v", name, tree)
		}
		if _, ok := box.Kid(0).AsText().Style(); ok || box.Kid(0).AsText().Lang() != "" {
			t.Errorf("%s: new fields are not zero: %v", name, tree)
		}
		again := must(version2flat.Load(fileOf(tree.Flat()), flat.LoadLimits{}))
		if again.String() != tree.String() {
			t.Errorf("%s: written and loaded it is %v, want %v", name, again, tree)
		}
		box.Kid(0).AsText().SetLang("en") // a converted tree can be changed
		tree.Free()
	}
}
