package grammar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// patience is the time limit for a generator, including the time to build it.
const patience = 5 * time.Minute

// run copies the tree, changes the given files in the copy, runs the generator there, and returns
// the generated file. It returns a Refused error if the generator fails.
func (w *Works) run(ctx context.Context, s *Source, files map[string][]byte) (made []byte, err error) {
	key := s.File + "\n" + s.recipe.called
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != s.File {
			key += fmt.Sprintf("\n%s %x", name, sha256.Sum256(files[name]))
		}
	}
	if made, ok := w.outputs[key]; ok {
		return made, nil
	}
	if err := w.copy(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.restore(files, s.File)) }()
	for name, data := range files {
		if name == s.File {
			continue // the generator writes this file
		}
		if err := w.put(name, data); err != nil {
			return nil, err
		}
	}
	if err := w.put(s.File, s.generated); err != nil {
		return nil, err
	}
	if made, err = w.cook(ctx, s); err == nil {
		keep(&w.outputs, key, made)
	}
	return made, err
}

// copy copies the tree, unless there is already a copy.
func (w *Works) copy(ctx context.Context) error {
	if w.copied != nil {
		return nil
	}
	path, err := w.Scratch.Fresh("generator")
	if err != nil {
		return err
	}
	made, err := trees.Copy(ctx, w.Tree, filepath.Join(path, "tree"))
	if err == nil {
		w.copied = &made
	}
	return err
}

// pathInCopy returns the path in the copy that corresponds to a file of the tree.
func (w *Works) pathInCopy(name string) (string, error) {
	rel, err := w.rel(name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errors.Join(err, errors.New(name+" is outside the tree"))
	}
	return filepath.Join(w.copied.Root, rel), nil
}

// put replaces a file in the copy. If the file is a link into the tree, put replaces the link,
// because files of the tree must not change. It ignores files outside the tree, which generators do
// not read.
func (w *Works) put(name string, data []byte) error {
	there, err := w.pathInCopy(name)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	if err := os.Remove(there); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(there, data, 0o666)
}

// cook runs the commands of a recipe, and returns the generated file. It returns a Refused error if
// the commands also change other files.
func (w *Works) cook(ctx context.Context, s *Source) ([]byte, error) {
	file, err := w.pathInCopy(s.File)
	if err != nil {
		return nil, err
	}
	if also, err := os.Lstat(filepath.Join(filepath.Dir(file), s.recipe.also)); err == nil && s.recipe.also != "" && !also.Mode().IsRegular() {
		return nil, refusef("%s writes %s, which is not a regular file", s.recipe.called, s.recipe.also)
	}
	before, err := snapshot(w.copied.Root)
	if err != nil {
		return nil, err
	}
	for _, step := range s.recipe.steps {
		if err := w.step(ctx, s, step, file); err != nil {
			return nil, err
		}
	}
	if err := w.nothingElse(s, file, before); err != nil {
		return nil, err
	}
	made, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refusef("%s does not write %s", s.recipe.called, filepath.Base(s.File))
	}
	return made, err
}

// step runs one command of a recipe.
func (w *Works) step(ctx context.Context, s *Source, step step, file string) error {
	if step.format {
		data, err := os.ReadFile(file)
		if err != nil {
			return refusef("%s does not write %s", s.recipe.called, filepath.Base(s.File))
		}
		text, ok := formatted(data)
		if !ok {
			return refusef("%s writes a %s that is not Go", s.recipe.called, filepath.Base(s.File))
		}
		return os.WriteFile(file, text, 0o666)
	}
	if name := step.args[0]; name != "go" {
		if _, err := exec.LookPath(name); err != nil {
			install := "install it"
			if g, ok := generators[name]; ok {
				install = g.install
			}
			return refusef("%s is not on PATH: %s", name, install)
		}
	}
	_, err := process.Succeed(ctx, process.System{Dir: filepath.Dir(file)}, process.Command{Args: step.args, Timeout: patience})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		_, tool := program(step.args)
		return refusef("%s, which generates %s: %v", tool, filepath.Base(s.File), err)
	}
	return nil
}

// A mark contains the attributes of a file that show whether the file was written after the mark
// was taken.
type mark struct {
	size int64
	time time.Time
}

// snapshot returns the marks of all files below a folder.
func snapshot(root string) (map[string]mark, error) {
	all := map[string]mark{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[name] = mark{info.Size(), info.ModTime()}
		}
		return err
	})
	return all, err
}

// nothingElse returns an error if the generator changed any file other than the generated one. It
// ignores files with unchanged contents, and a new report for people, such as y.output. It removes
// new files.
func (w *Works) nothingElse(s *Source, file string, before map[string]mark) error {
	after, err := snapshot(w.copied.Root)
	if err != nil {
		return err
	}
	var odd string
	also := filepath.Join(filepath.Dir(file), s.recipe.also)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		now, there := after[name]
		if name == file || there && now == before[name] {
			continue
		}
		if !w.asItWas(name) {
			odd = name
		}
	}
	for name := range after {
		if _, there := before[name]; there || name == file {
			continue
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		if name != also || s.recipe.also == "" {
			odd = name
		}
	}
	if odd != "" {
		w.copied = nil // the copy no longer equals the tree
		return refusef("%s also writes %s", s.recipe.called, filepath.Base(odd))
	}
	return nil
}

// asItWas reports whether a file in the copy is equal to the file in the tree.
func (w *Works) asItWas(name string) bool {
	rel, err := filepath.Rel(w.copied.Root, name)
	if err != nil {
		return false
	}
	now, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	was, err := os.ReadFile(filepath.Join(w.Tree.Root, rel))
	return err == nil && bytes.Equal(now, was)
}

// restore undoes changes in the copy: it copies the given files from the tree again.
func (w *Works) restore(files map[string][]byte, more string) error {
	if w.copied == nil {
		return nil
	}
	for _, name := range append(slices.Collect(maps.Keys(files)), more) {
		there, err := w.pathInCopy(name)
		if err != nil {
			continue
		}
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(there)
		} else if err == nil {
			err = w.put(name, data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
