package flat_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A damaged file is either rejected with ErrInvalid or ErrLimit, or gives a tree that can be read
// completely. This holds for trees in memory and for mapped trees.
func TestMutatedFiles(t *testing.T) {
	all := valid()
	names, folder := slices.Sorted(maps.Keys(all)), t.TempDir()
	sound := make([]string, len(names))
	for i, name := range names {
		sound[i] = filepath.Join(folder, name)
		if err := os.WriteFile(sound[i], all[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage.Mutate(t, damage.Format{Sound: sound, Try: func(file damage.Mutant) error {
		data, err := os.ReadFile(file.Path)
		if err != nil {
			return err
		}
		if err := accept(formatOf(names[file.Origin]), data); err != nil {
			return err
		}
		if tree, err := flat.LoadAny(data, flat.LoadLimits{MaxNodes: 10_000}); err == nil {
			if err := walkFlat(tree); err != nil {
				return err
			}
		}
		tree, err := exprflat.Open(file.Path, flat.LoadLimits{MaxNodes: 10_000})
		if errors.Is(err, flat.ErrInvalid) || errors.Is(err, flat.ErrLimit) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("refused with another error: %w", err)
		}
		err = walkFlat(tree.Flat())
		tree.Free()
		return err
	}})
}
