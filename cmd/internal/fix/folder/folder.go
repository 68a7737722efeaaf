// Package folder keeps what coppice fix made in a folder, and applies it later.
//
//	fix.json          the result, with all runs
//	report.md         the same for people
//	all.patch         what was kept, as one patch
//	1-TITLE.patch     each step that was kept, with its proof; a patch is against the tree with those before it
//	not-kept/         the others
//	begun/            patches that add files which a person goes on from, for a store or a flat tree
//	.gitignore        so that git does not see the folder
package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/fix"
	"github.com/coppice-go/coppice/cmd/internal/fix/show"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

const (
	resultFile = "fix.json"
	allFile    = "all.patch"
	notKept    = "not-kept"
	begun      = "begun"
)

// Has tells whether a folder has a result.
func Has(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, resultFile))
	return err == nil
}

// Check tells whether results may go into a folder: it is new or empty, or has an earlier result, which Save replaces. A new one is
// made.
func Check(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o777)
	case err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("%s is no folder for patches: %w", dir, err)
	}
	if !Has(dir) {
		return fmt.Errorf("%s has other files; name a new folder with -out", dir)
	}
	return nil
}

// Save writes a result. It replaces an earlier one.
func Save(dir string, r *fix.Result) error {
	if err := Check(dir); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.patch"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, notKept)), os.RemoveAll(filepath.Join(dir, begun))); err != nil {
		return err
	}
	all := map[string]func(io.Writer) error{
		".gitignore": text("*\n"),
		"report.md":  func(w io.Writer) error { return show.Markdown(w, r) },
		resultFile: func(w io.Writer) error {
			encoder := json.NewEncoder(w)
			encoder.SetIndent("", "\t")
			return encoder.Encode(r)
		},
	}
	if r.Diff != "" {
		all[allFile] = text(r.Diff)
	}
	for _, s := range r.Steps {
		switch patch := func(w io.Writer) error { return show.Patch(w, s) }; {
		case s.State == fix.Kept:
			all[s.Patch] = patch
		case s.State == fix.Begun:
			all[filepath.Join(begun, s.Patch)] = patch
		case s.Diff != "":
			all[filepath.Join(notKept, s.Patch)] = patch
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := write(filepath.Join(dir, name), all[name]); err != nil {
			return err
		}
	}
	return nil
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func write(name string, content func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// Apply changes the tree around a folder as the result in dir says, and returns the names of the files that changed. It changes
// nothing if one of them is not as it was when the patches were made.
func Apply(ctx context.Context, dir, here string) (changed []string, err error) {
	tree, names, err := applicable(ctx, dir, here)
	if err != nil {
		return nil, err
	}
	patch, err := filepath.Abs(filepath.Join(dir, allFile))
	if err != nil {
		return nil, err
	}
	return names, trees.Apply(ctx, tree, patch)
}

// Applicable returns the names of the files that Apply would change, or its error, and changes nothing.
func Applicable(ctx context.Context, dir, here string) ([]string, error) {
	_, names, err := applicable(ctx, dir, here)
	return names, err
}

// applicable returns the tree and the names of the files that a result changes.
func applicable(ctx context.Context, dir, here string) (tree trees.Tree, names []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return tree, nil, fmt.Errorf("there are no patches in %s; coppice fix makes them", dir)
	}
	if err != nil {
		return tree, nil, err
	}
	var r fix.Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != fix.Schema {
		return tree, nil, fmt.Errorf("%s is not one that this version of coppice fix has written; make the patches again", filepath.Join(dir, resultFile))
	}
	if len(r.Before) == 0 {
		return tree, nil, fmt.Errorf("nothing was kept, says %s: there is nothing to apply", filepath.Join(dir, "report.md"))
	}
	tree, err = trees.Here(ctx, here)
	if err != nil {
		return tree, nil, err
	}
	names = slices.Sorted(maps.Keys(r.Before))
	for _, name := range names {
		now, err := fix.FileSum(filepath.Join(tree.Root, filepath.FromSlash(name)))
		if err != nil {
			return tree, nil, err
		}
		if now != r.Before[name] {
			return tree, nil, fmt.Errorf("%s has changed since the patches were made, or they are applied already; run coppice fix again", name)
		}
	}
	return tree, names, nil
}
