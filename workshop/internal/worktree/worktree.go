// Package worktree copies this repository, so that tests can modify the copy.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Copy copies the repository in from to the folder to: the files that git tracks or would track,
// and the generated packages, which git ignores.
func Copy(ctx context.Context, from, to string) error {
	tracked, err := list(ctx, from, "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return fmt.Errorf("%w; copy a checkout of Coppice", err)
	}
	generated, err := list(ctx, from, "--others", "--ignored", "--exclude-standard", "--", "flat", "workloads/jsast")
	if err != nil {
		return err
	}
	for _, name := range append(tracked, generated...) {
		data, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted, but the deletion is not committed yet
		}
		if err != nil {
			return err
		}
		if err := Write(filepath.Join(to, name), data); err != nil {
			return err
		}
	}
	return nil
}

// Link creates another copy of the folder from, which Copy has written. The files of the new copy
// are hard links, so no contents are copied. Modify these files only with Write, which leaves the
// first copy unchanged. Writing to a file in place would change both copies.
func Link(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, below), 0o777)
		}
		return os.Link(path, filepath.Join(to, below))
	})
}

// Write replaces a file of a copy with a new file, and creates its folder if necessary.
func Write(name string, data []byte) error {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// list returns the files that git ls-files prints for the given arguments.
func list(ctx context.Context, folder string, args ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"ls-files", "-z"}, args...)...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("git ls-files: %w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
}
