package forest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/version1flat"
	"github.com/coppice-go/coppice/flat/internal/cases/version2flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// TestForestAgainstModel performs random operations with a writer and a reader, and compares the
// forest with a list of names and trees.
func TestForestAgainstModel(t *testing.T) {
	programs := uint64(20)
	if testing.Short() {
		programs = 5
	}
	for seed := range programs {
		r := rand.New(rand.NewPCG(seed, 2))
		path := fresh(t)
		options := forest.Options{SegmentBytes: 1 + r.IntN(20_000)}
		w := must(forest.Create[everyflat.Tree](path, options))
		reader := must(forest.Open[everyflat.Tree](path, flat.LoadLimits{}))
		var names, trees []string
		last := map[string]int{}
		synced := 0
		for range 150 {
			switch r.IntN(12) {
			case 0:
				check(t, w.Sync())
				synced = len(names)
			case 1:
				check(t, w.Close())
				w = must(forest.Append[everyflat.Tree](path, options))
				synced = len(names)
			case 2:
				must(reader.Refresh())
				if reader.Len() < synced || reader.Len() > len(names) {
					t.Fatalf("%d trees are seen, %d of %d were synced", reader.Len(), synced, len(names))
				}
			case 3:
				if reader.Len() > 0 { // a tree from an earlier segment
					i := r.IntN(reader.Len())
					check(t, w.Add("copy", must(reader.At(i))))
					names, trees = append(names, "copy"), append(trees, trees[i])
					last["copy"] = len(names) - 1
				}
			default:
				tree, n := anything(r), name(r.IntN(40))
				check(t, w.Add(n, tree))
				names, trees = append(names, n), append(trees, canonical(tree.Flat()))
				last[n] = len(names) - 1
				tree.Free()
			}
		}
		check(t, w.Close())
		must(reader.Refresh())
		if reader.Len() != len(names) || reader.Incomplete() != 0 {
			t.Fatalf("%d trees and %d bytes more, want %d", reader.Len(), reader.Incomplete(), len(names))
		}
		for _, i := range r.Perm(len(names)) {
			if got := canonical(must(reader.At(i)).Flat()); got != trees[i] || reader.Name(i) != names[i] {
				t.Fatalf("seed %d: tree %d is another", seed, i)
			}
		}
		for n, i := range last {
			if got, ok := reader.Lookup(n); !ok || got != i {
				t.Fatalf("%s is tree %d, %v, want %d", n, got, ok, i)
			}
		}
		if i, ok := reader.Lookup("nobody"); ok {
			t.Errorf("nobody is tree %d", i)
		}
		check(t, reader.Close())
	}
}

func TestLookupSeesWhatIsAppended(t *testing.T) {
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	n := 300
	if testing.Short() {
		n = 50
	}
	for i := range n {
		check(t, w.Add(name(i), expression(i)))
		check(t, w.Add("same", expression(i)))
		check(t, w.Sync())
		if n := must(r.Refresh()); n != 2 {
			t.Fatalf("%d trees were added, want 2", n)
		}
		at, ok := r.Lookup(name(i / 2))
		same, _ := r.Lookup("same")
		if !ok || at != i/2*2 || same != 2*i+1 {
			t.Fatalf("round %d: %d, %v and %d", i, at, ok, same)
		}
	}
	check(t, w.Close())
}

func TestOneWriter(t *testing.T) {
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	if _, err := forest.Append[exprflat.Tree](path, forest.Options{}); !errors.Is(err, forest.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if _, err := forest.Create[exprflat.Tree](path, forest.Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second file: %v", err)
	}
	check(t, w.Add(name(0), expression(0)))
	check(t, w.Close())
	check(t, w.Close())
	if err := errors.Join(w.Add("x", expression(1))); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Add of a closed writer: %v", err)
	}
	if err := w.Sync(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Sync of a closed writer: %v", err)
	}
	w = must(forest.Append[exprflat.Tree](path, forest.Options{}))
	check(t, w.Add(name(1), expression(1)))
	check(t, w.Close())
	expect(t, path, 2)
}

func TestWhatIsNoForestIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	refused := func(what string, data []byte) {
		write(t, path, data)
		mismatch := what == "another schema"
		if _, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) ||
			errors.Is(err, forest.ErrInvalid) == mismatch || errors.Is(err, forest.ErrMismatch) != mismatch {
			t.Errorf("Open of %s: %v", what, err)
		}
		if _, err := forest.Append[exprflat.Tree](path, forest.Options{}); !errors.Is(err, flat.ErrInvalid) {
			t.Errorf("Append to %s: %v", what, err)
		}
		if string(must(os.ReadFile(path))) != string(data) {
			t.Errorf("Append has changed %s", what)
		}
	}
	refused("a text", []byte(strings.Repeat("some text ", 100)))
	other := must(forest.Create[everyflat.Tree](filepath.Join(dir, "other"), forest.Options{}))
	check(t, other.Close())
	refused("another schema", must(os.ReadFile(filepath.Join(dir, "other"))))
	data, _ := file(t, 1)
	data[8] = 2
	refused("another format", data)
	if _, err := forest.Open[exprflat.Tree](dir, flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) || !errors.Is(err, forest.ErrInvalid) {
		t.Errorf("a folder is opened: %v", err)
	}
	if _, err := forest.Open[exprflat.Tree](filepath.Join(dir, "none"), flat.LoadLimits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestOpenAndAppendAgreeOnHeaders changes each byte of the header and corrects the checksum. Open
// and Append must both reject the header with the same error.
func TestOpenAndAppendAgreeOnHeaders(t *testing.T) {
	data, ends := file(t, 1)
	for at := range ends[0] {
		if at >= 28 && at < 32 {
			continue // the checksum
		}
		changed := slices.Clone(data)
		changed[at]++
		clear(changed[28:32])
		header := changed[:min(ends[0], (64+int(binary.LittleEndian.Uint32(changed[24:]))+7)&^7)]
		binary.LittleEndian.PutUint32(changed[28:], crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli)))
		path := fresh(t)
		write(t, path, changed)
		r, read := forest.Open[exprflat.Tree](path, flat.LoadLimits{})
		w, wrote := forest.Append[exprflat.Tree](path, forest.Options{})
		if !errors.Is(read, flat.ErrInvalid) || wrote == nil || wrote.Error() != read.Error() {
			t.Errorf("byte %d: Open: %v; Append: %v", at, read, wrote)
		}
		if at >= 32 && at < 64 && !strings.Contains(fmt.Sprint(read), "must be 0") {
			t.Errorf("byte %d: %v", at, read)
		}
		if read == nil {
			check(t, r.Close())
		}
		if wrote == nil {
			check(t, w.Close())
		}
	}
}

// A forest with an earlier version of the schema can be read, but not appended to.
func TestEarlierVersions(t *testing.T) {
	path := fresh(t)
	w := must(forest.Create[version1flat.Tree](path, forest.Options{}))
	b := version1flat.NewBuilder(flat.BuilderOptions{})
	for _, words := range []string{"a", "b"} {
		text := b.Text(true, []string{words, "all"})
		box := b.Box(version1flat.BoxFields{Kind: 3, Size: version1flat.SizeFields{W: 1, H: 2}, Kids: []version1flat.Node{text}, Long: 7})
		check(t, w.Add(words, must(b.Finish(box.AsBox()))))
	}
	check(t, w.Close())
	r := must(forest.Open[version2flat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	for range 2 {
		for item, err := range r.All {
			check(t, err)
			text := item.Tree.Root().Kid(0).AsText()
			if item.Tree.Root().Long() != 7 || text.Word(0) != item.Name || text.Word(1) != "all" {
				t.Errorf("%s is %v", item.Name, item.Tree)
			}
		}
	}
	if _, err := forest.Append[version2flat.Tree](path, forest.Options{}); err == nil || !strings.Contains(err.Error(), "copy its trees") {
		t.Errorf("Append: %v", err)
	}
}

func TestLimits(t *testing.T) {
	data, _ := file(t, 20)
	path := fresh(t)
	write(t, path, data)
	for _, limits := range []flat.LoadLimits{{MaxNodes: 3}, {MaxDepth: 2}} {
		r := must(forest.Open[exprflat.Tree](path, limits))
		good, bad := 0, 0
		for item, err := range r.All {
			switch {
			case err == nil && limits.MaxNodes > 0 && item.Tree.NumNodes() > limits.MaxNodes:
				t.Errorf("%+v: %v", limits, item.Tree)
			case err == nil:
				good++
			case errors.Is(err, flat.ErrLimit) && strings.Contains(err.Error(), item.Name):
				bad++
			default:
				t.Errorf("%+v: %v", limits, err)
			}
		}
		if bad == 0 || good == 0 {
			t.Errorf("%+v: %d trees were read and %d refused", limits, good, bad)
		}
		check(t, r.Close())
	}
	long := fresh(t)
	w := must(forest.Create[exprflat.Tree](long, forest.Options{}))
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	check(t, w.Add("long", must(b.Finish(b.Var(strings.Repeat("x", 1000))))))
	check(t, w.Close())
	for most, ok := range map[int64]bool{1032: true, 1011: false, 100: false} {
		r := must(forest.Open[exprflat.Tree](long, flat.LoadLimits{MaxBytes: most}))
		if _, err := r.At(0); (err == nil) != ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("at most %d bytes: %v", most, err)
		}
		check(t, r.Close())
	}
	if _, err := forest.Open[exprflat.Tree](long, flat.LoadLimits{MaxBytes: 20}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("an index that is too large: %v", err)
	}
	mustPanic(t, "forest.Open: a limit is negative", func() { forest.Open[exprflat.Tree](path, flat.LoadLimits{MaxDepth: -1}) })
	mustPanic(t, "forest.Append: an option is negative", func() { forest.Append[exprflat.Tree](path, forest.Options{SegmentBytes: -1}) })
}

// A tree of a forest cannot be changed, and its memory is not reused.
func TestTreesOfAForestAreReadOnly(t *testing.T) {
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for _, s := range []string{"x", "y"} {
		check(t, w.Add(s, must(b.Finish(b.Call("f", []exprflat.Expr{b.Var(s), b.Num(1)}, &s)))))
	}
	check(t, w.Close())
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	tree := must(r.At(1))
	want := tree.String()
	mustPanic(t, "belongs to a forest and is read-only", func() { tree.Root().AsCall().SetFn("g") })
	mustPanic(t, "belongs to a forest and is read-only", func() { tree.Root().AsCall().SetArg(0, exprflat.Expr{}) })
	clone := tree.Clone()
	clone.Root().AsCall().SetFn("g")
	other := must(r.At(0)).CloneInto(must(r.At(1)))
	b.Reuse(must(r.At(1)))
	renamed := must(b.Rewrite(tree, exprflat.Rewriter{Var: func(b *exprflat.Builder, n exprflat.Var) exprflat.Expr { return b.Var(n.Name() + "2") }}))
	if must(r.At(1)).String() != want {
		t.Errorf("the tree was changed to %v", must(r.At(1)))
	}
	mustPanic(t, "the tree was freed", func() {
		tree.Free()
		must(forest.Append[exprflat.Tree](fresh(t), forest.Options{})).Add("x", tree)
	})
	check(t, r.Close())
	for got, want := range map[string]string{
		clone.String():   `Call{Fn: "g", Args: [Var{Name: "y"}, Num{Value: 1}], Doc: "y"}`,
		other.String():   `Call{Fn: "f", Args: [Var{Name: "x"}, Num{Value: 1}], Doc: "x"}`,
		renamed.String(): `Call{Fn: "f", Args: [Var{Name: "y2"}, Num{Value: 1}], Doc: "y"}`,
	} {
		if got != want {
			t.Errorf("after Close it is %s, want %s", got, want)
		}
	}
	if _, err := r.Refresh(); !errors.Is(err, os.ErrClosed) || r.Len() != 0 {
		t.Errorf("a closed reader: %v", err)
	}
	mustPanic(t, "forest.Reader.At: index out of range", func() { r.At(0) })
}

// A string that several trees of a segment contain is stored only once. An empty optional string
// remains present.
func TestStringsAreShared(t *testing.T) {
	size := func(trees int) int64 {
		path := fresh(t)
		w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
		b := exprflat.NewBuilder(flat.BuilderOptions{})
		long, empty := strings.Repeat("long", 1000), ""
		for i := range trees {
			check(t, w.Add("", must(b.Finish(b.Call(long, []exprflat.Expr{b.Var(name(i)), b.Call("", nil, nil)}, &empty)))))
		}
		check(t, w.Close())
		r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
		defer r.Close()
		for item, err := range r.All {
			check(t, err)
			call := item.Tree.Root().AsCall()
			doc, ok := call.Doc()
			if call.Fn() != long || !ok || doc != "" || call.Arg(0).AsVar().Name() != name(item.Index) || call.Arg(1).AsCall().Fn() != "" {
				t.Fatalf("tree %d is %v", item.Index, item.Tree)
			}
		}
		return must(os.Stat(path)).Size()
	}
	if one, many := size(1), size(101); many-one > 100*100 {
		t.Errorf("a tree more takes %d bytes", (many-one)/100)
	}
}

func TestHundredThousandTrees(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{SegmentBytes: 1 << 20}))
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	for i := range n {
		tree := must(b.Finish(b.Call("f", []exprflat.Expr{b.Var(name(i % 1000)), b.Num(float64(i))}, nil)))
		check(t, w.Add(name(i), tree))
		b.Reuse(tree)
	}
	check(t, w.Close())
	r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer r.Close()
	for i := range n {
		at, ok := r.Lookup(name(i))
		if call := must(r.At(at)).Root().AsCall(); !ok || at != i || call.Arg(1).AsNum().Value() != float64(i) || call.Arg(0).AsVar().Name() != name(i%1000) {
			t.Fatalf("tree %d is %v", i, call)
		}
	}
}

func TestOpenAny(t *testing.T) {
	data, _ := file(t, 3, 4)
	path := fresh(t)
	write(t, path, data)
	r := must(forest.OpenAny(path, flat.LoadLimits{}))
	defer r.Close()
	for item, err := range r.All {
		check(t, err)
		if item.Tree.String() != expression(item.Index).String() {
			t.Errorf("tree %d is %v", item.Index, item.Tree)
		}
		check(t, item.Tree.Dump(io.Discard))
	}
}
