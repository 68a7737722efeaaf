package forest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

// mustPanic calls f, which must panic with a message that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic %v, want one with %q", r, want)
		}
	}()
	f()
}

// canonical returns the tree in canonical form, encoded as a file.
func canonical(t *flat.Tree) string {
	var b bytes.Buffer
	must(t.Compact().WriteTo(&b))
	return b.String()
}

// expression returns a pseudo-random tree that depends only on i.
func expression(i int) exprflat.Tree {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	e := random.Tree[expr.Expr](r, 1+i%9, []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)})
	return must(exprflat.FromTree(e, flat.LoadLimits{}))
}

// anything returns a random tree in which every type of field may occur.
func anything(r *rand.Rand) everyflat.Tree {
	e := random.Tree[every.Node](r, r.IntN(60), []any{(*every.Null)(nil), (*every.Scalars)(nil), (*every.Named)(nil),
		(*every.Optional)(nil), (*every.Interned)(nil), (*every.Links)(nil), (*every.Lists)(nil), (*every.Arrays)(nil),
		(*every.Inline)(nil), (*every.Full)(nil), (*every.Value)(nil), (*every.Words)(nil)})
	return must(everyflat.FromTree(e, flat.LoadLimits{}))
}

func name(i int) string { return fmt.Sprintf("tree%d", i) }

// fresh returns a path at which no file exists, in a new temporary folder.
func fresh(t testing.TB) string { return filepath.Join(t.TempDir(), "forest") }

// file returns a forest file that has one segment for each size, with that number of trees. ends
// contains the end of the header, followed by the end of each segment.
func file(t testing.TB, sizes ...int) (data []byte, ends []int) {
	t.Helper()
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{}))
	size := func() { ends = append(ends, int(must(os.Stat(path)).Size())) }
	size()
	i := 0
	for _, n := range sizes {
		for range n {
			check(t, w.Add(name(i), expression(i)))
			i++
		}
		check(t, w.Sync())
		size()
	}
	check(t, w.Close())
	return must(os.ReadFile(path)), ends
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	check(t, os.WriteFile(path, data, 0o600))
}

// expect verifies that the forest at path contains exactly the first n expressions.
func expect(t testing.TB, path string, n int) {
	t.Helper()
	r, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{})
	check(t, err)
	defer r.Close()
	expectTrees(t, r, n)
}

func expectTrees(t testing.TB, r *forest.Reader[exprflat.Tree], n int) {
	t.Helper()
	if r.Len() != n {
		t.Fatalf("%d trees, want %d", r.Len(), n)
	}
	for item, err := range r.All {
		check(t, err)
		if item.Name != name(item.Index) || canonical(item.Tree.Flat()) != canonical(expression(item.Index).Flat()) {
			t.Fatalf("tree %d, %s, is %v, want %v", item.Index, item.Name, item.Tree, expression(item.Index))
		}
	}
}
