package forest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A damaged file is either rejected with the correct error or opened; most of the damaged files
// have correct checksums. If it is opened, each tree is rejected or can be read, and Append can add
// another tree. If the checksums were not corrected, each tree that can be read equals the original
// one.
func TestMutatedFiles(t *testing.T) {
	var sound []string
	var trees [][]string
	sound = slices.Grow(sound, 4)
	trees = slices.Grow(trees, 4)
	for _, n := range []int{0, 1, 5, 60} {
		path := filepath.Join(t.TempDir(), "forest")
		w, err := Create[exprflat.Tree](path, Options{SegmentBytes: 300})
		if err != nil {
			t.Fatal(err)
		}
		b, all := exprflat.NewBuilder(flat.BuilderOptions{}), []string(nil)
		for i := range n {
			s := fmt.Sprint("name ", i*i)
			tree, err := b.Finish(b.Call(s, []exprflat.Expr{b.Var(s), b.Num(float64(i))}, &s))
			if err := errors.Join(err, w.Add(s, tree)); err != nil {
				t.Fatal(err)
			}
			all = append(all, s+tree.Flat().String())
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sound, trees = append(sound, path), append(trees, all)
	}
	damage.Mutate(t, damage.Format{Sound: sound, Seal: reseal, Try: func(file damage.Mutant) error {
		limits := flat.LoadLimits{MaxNodes: 10_000}
		if r, err := OpenAny(file.Path, limits); err != nil {
			refused(t, err)
		} else {
			walkAll(t, r)
		}
		r, err := Open[exprflat.Tree](file.Path, limits)
		if err != nil {
			refused(t, err)
			return appends(t, file.Path, 0)
		}
		for item, err := range r.All {
			if err == nil && !file.Sealed && (item.Index >= len(trees[file.Origin]) || item.Name+item.Tree.Flat().String() != trees[file.Origin][item.Index]) {
				return fmt.Errorf("no sum was mended, and tree %d is another: %q, %v", item.Index, item.Name, item.Tree.Flat())
			}
		}
		n := r.Len()
		walkAll(t, r)
		return appends(t, file.Path, n)
	}})
}

// appends adds a tree to a file, unless Append rejects the file, and verifies that the file then
// has one tree more than the given number.
func appends(t *testing.T, path string, trees int) error {
	w, err := Append[exprflat.Tree](path, Options{})
	if err != nil {
		refused(t, err)
		return nil
	}
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	tree, err := b.Finish(b.Var("last"))
	if err := errors.Join(err, w.Add("last", tree), w.Close()); err != nil {
		return err
	}
	r, err := Open[exprflat.Tree](path, flat.LoadLimits{})
	if err != nil {
		return fmt.Errorf("what Append took is refused afterwards: %w", err)
	}
	defer r.Close()
	last, err := r.At(r.Len() - 1)
	if err != nil || last.Root().AsVar().Name() != "last" || r.Len() != trees+1 {
		return fmt.Errorf("%d trees have become %d, the last of which is %v: %w", trees, r.Len(), last.Flat(), errors.Join(err, os.ErrInvalid))
	}
	return nil
}
