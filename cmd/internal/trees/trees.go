// Package trees creates the source trees that a proof compares: the user's own tree, the tree of a
// revision, and a tree with a patch. It does not change the user's tree or its repository.
package trees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Tree is a source tree in which packages can be built.
type Tree struct {
	Name     string // name of the tree in messages
	Root     string // root of the repository, workspace or module
	Dir      string // folder in which the go command runs: at or below Root
	Revision string // revision of the repository; empty outside a repository
	Dirty    bool   // whether files differ from the revision
	Work     string // the go.work file in force, "off", or empty for what the go command finds
	Note     string // message on files that a copy lacks or only links to; empty if it is complete
}

// Here returns the source tree that contains dir, without copying it.
func Here(ctx context.Context, dir string) (Tree, error) {
	t := Tree{Name: "the working tree", Dir: dir}
	var err error
	if t.Root, err = root(ctx, dir); err != nil {
		return t, err
	}
	t.Revision, t.Dirty = describe(ctx, dir)
	if t.Revision != "" && !t.Dirty {
		t.Name = t.Revision
	}
	return t, nil
}

// root returns the root of the tree that contains dir. This is the root of the repository or,
// outside a repository, the folder of the workspace or module.
func root(ctx context.Context, dir string) (string, error) {
	if out, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel"); err == nil {
		return filepath.EvalSymlinks(strings.TrimSpace(string(out)))
	}
	return sources(ctx, dir)
}

// sources returns the folder of the workspace or module that contains dir.
func sources(ctx context.Context, dir string) (string, error) {
	module, err := goEnv(ctx, dir, "GOMOD")
	if err != nil {
		return "", err
	}
	if module == "" || module == os.DevNull {
		return "", fmt.Errorf("%s is not in a Go module; change to a folder in one", dir)
	}
	root := filepath.Dir(module)
	if work, err := goEnv(ctx, dir, "GOWORK"); err == nil && work != "" && work != "off" && within(filepath.Dir(work), root) {
		root = filepath.Dir(work)
	}
	return filepath.EvalSymlinks(root)
}

// goEnv returns the value that go env prints for name in the folder dir.
func goEnv(ctx context.Context, dir, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", name)
	cmd.Dir = dir
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("go command not found; install Go, or set PATH")
	case err != nil:
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// within reports whether path is folder itself or is below it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// In is like Here but for a folder that the user has named. This name becomes the name of the tree.
func In(ctx context.Context, dir string) (Tree, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return Tree{}, err
	}
	t, err := Here(ctx, path)
	t.Name = dir
	return t, err
}

// IsRevision reports whether the repository that contains t has the revision. It returns an error
// if git is not installed.
func IsRevision(ctx context.Context, t Tree, revision string) (bool, error) {
	_, err := git(ctx, t.Root, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
		return false, err
	}
	return err == nil, nil
}

// Refs returns the names of revisions in the repository that contains dir: HEAD, branches and tags.
// Outside a repository it returns nil.
func Refs(ctx context.Context, dir string) []string {
	out, err := git(ctx, dir, nil, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return nil
	}
	return append([]string{"HEAD"}, strings.Fields(string(out))...)
}

// At writes the source tree of a revision to a folder and returns it. The revision belongs to the
// repository that contains t. into is the path of the folder.
func At(ctx context.Context, t Tree, revision, into string) (Tree, error) {
	out, err := git(ctx, t.Root, nil, "rev-parse", "--verify", "--short=12", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return Tree{}, fmt.Errorf("unknown revision %q; git log lists the revisions", revision)
	}
	commit := strings.TrimSpace(string(out))
	if err := checkOut(ctx, t.Root, commit, into); err != nil {
		return Tree{}, err
	}
	made := Tree{Name: revision, Root: into, Revision: commit}
	if !strings.HasPrefix(commit, revision) {
		made.Name = revision + " (" + commit + ")"
	}
	return t.settle(ctx, made)
}

// Patched copies the tree to a folder, applies a patch to the copy, and returns the copy. into is
// the path of the folder. Names in the patch are relative to t.Root, as git writes them, or to
// t.Dir.
func Patched(ctx context.Context, t Tree, patch, into string) (Tree, error) {
	file, err := filepath.Abs(patch)
	if err != nil {
		return Tree{}, err
	}
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return Tree{}, fmt.Errorf("patch %s not found", patch)
	}
	made, err := Copy(ctx, t, into)
	made.Name, made.Dirty = filepath.Base(patch), true
	if err != nil {
		return made, err
	}
	err = Apply(ctx, made, file)
	if err == nil {
		return made, nil
	}
	text, e := os.ReadFile(file)
	if unix := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")); e == nil && len(unix) < len(text) {
		// The patch may have been sent by mail, or created on a system with different line endings.
		file = into + ".patch"
		if e := os.WriteFile(file, unix, 0o666); e != nil {
			return made, e
		}
		if Apply(ctx, made, file) == nil {
			return made, nil
		}
	}
	return made, err
}
