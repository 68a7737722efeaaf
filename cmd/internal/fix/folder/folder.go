// Package folder saves the result of coppice fix in a folder, and applies a saved result.
//
//	fix.json          the result, with all runs
//	report.md         the result as Markdown
//	all.patch         all kept steps, as one patch
//	1-TITLE.patch     a kept step, with its proof; a patch is against the tree with the earlier ones
//	not-kept/         the other steps
//	begun/            patches that add files to be completed by hand, for a store or a flat tree
//	.gitignore        so that git does not see the folder
//	.coppice-fix      the files that Save wrote; only these are ever replaced or removed
package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
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

// Has reports whether a folder contains a saved result.
func Has(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, resultFile))
	return err == nil
}

// Check returns an error if Save could not write to a folder. The folder must be new or empty, or
// Save must have created it. Check leaves the folder unchanged.
func Check(dir string) error {
	m, err := owned(dir)
	if err != nil {
		return err
	}
	if err := m.check(dir, nil); err != nil {
		return err
	}
	return creatable(dir)
}

// owned reads the mark of a folder. It returns an error unless the folder is new, empty or created
// by Save.
func owned(dir string) (mark, error) {
	m, err := readMark(dir)
	switch {
	case errors.Is(err, errNoMark) && Has(dir):
		return m, fmt.Errorf("%s has a %s, but no list of the files that this version of coppice fix wrote; delete the folder, or name another one with -out", dir, resultFile)
	case errors.Is(err, errNoMark):
		return m, fmt.Errorf("%s contains other files; name a new folder with -out", dir)
	}
	return m, err
}

// creatable returns an error if a folder neither exists nor can be created.
func creatable(dir string) error {
	var missing []string // missing folders, deepest first
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	err := os.MkdirAll(dir, 0o777)
	for _, made := range missing {
		_ = os.Remove(made) // fails if MkdirAll did not create the folder
	}
	return err
}

// Save writes a result to a folder. It replaces an earlier result, and does not touch files that
// Save did not write.
func Save(dir string, r *fix.Result) error { return save(dir, r, func() error { return nil }) }

// save implements Save. It calls step before each of its steps, so that a test can stop it wherever
// the process might be killed.
func save(dir string, r *fix.Result, step func() error) error {
	m, err := owned(dir)
	if err != nil {
		return err
	}
	files, err := filesOf(r)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	if err := m.check(dir, names); err != nil {
		return err
	}
	old := slices.Sorted(maps.Keys(m.Files))
	now := mark{Schema: markSchema, Files: map[string][]string{}}
	for _, name := range names {
		m.put(name, files[name])
		now.put(name, files[name])
	}
	work := []func() error{func() error { return m.write(dir) }}
	for _, name := range old {
		if _, stays := files[name]; !stays {
			work = append(work, func() error { return remove(dir, name) })
		}
	}
	for _, name := range names {
		work = append(work, func() error { return write(dir, name, files[name]) })
	}
	work = append(work, func() error { return now.write(dir) })
	for _, do := range work {
		if err := step(); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a file that Save wrote, and then its subfolder if the subfolder is empty.
func remove(dir, name string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if within := filepath.Dir(file); within != filepath.Clean(dir) {
		_ = os.Remove(within) // fails if the folder contains other files
	}
	return nil
}

// filesOf returns the files that Save writes for a result. The keys are file names with slashes.
func filesOf(r *fix.Result) (map[string][]byte, error) {
	var report bytes.Buffer
	if err := show.Markdown(&report, r); err != nil {
		return nil, err
	}
	result, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{".gitignore": []byte("*\n"), "report.md": report.Bytes(), resultFile: append(result, '\n')}
	if r.Diff != "" {
		all[allFile] = []byte(r.Diff)
	}
	for _, s := range r.Steps {
		name := ""
		switch {
		case s.State == fix.Kept:
			name = s.Patch
		case s.State == fix.Begun:
			name = path.Join(begun, s.Patch)
		case s.Diff != "":
			name = path.Join(notKept, s.Patch)
		default:
			continue
		}
		var patch bytes.Buffer
		if err := show.Patch(&patch, s); err != nil {
			return nil, err
		}
		all[name] = patch.Bytes()
	}
	return all, nil
}

// Apply applies the result in dir to the tree that contains the folder named by here. It returns
// the names of the files that it changed. If one of these files has changed since the patches were
// created, Apply changes nothing.
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

// Applicable returns the names of the files that Apply would change, or the error that Apply would
// return. It changes nothing.
func Applicable(ctx context.Context, dir, here string) ([]string, error) {
	_, names, err := applicable(ctx, dir, here)
	return names, err
}

// applicable returns the tree that contains the folder named by here, and the names of the files in
// it that the result changes.
func applicable(ctx context.Context, dir, here string) (tree trees.Tree, names []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return tree, nil, fmt.Errorf("no patches in %s; coppice fix writes them", dir)
	}
	if err != nil {
		return tree, nil, err
	}
	var r fix.Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != fix.Schema {
		return tree, nil, fmt.Errorf("%s was not written by this version of coppice fix; create the patches again", filepath.Join(dir, resultFile))
	}
	if len(r.Before) == 0 {
		return tree, nil, fmt.Errorf("nothing to apply: %s says that nothing was kept", filepath.Join(dir, "report.md"))
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
