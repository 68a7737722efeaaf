package trees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Copy copies the tree to a different folder, where programs may write. The copy contains all files
// that the programs may read, whether git tracks them or not. Its Note names the files that are too
// large to copy.
func Copy(ctx context.Context, t Tree, into string) (Tree, error) {
	note, err := t.copyTo(ctx, into)
	if err != nil {
		return Tree{}, err
	}
	return t.settle(ctx, Tree{Name: t.Name, Root: into, Revision: t.Revision, Dirty: t.Dirty, Note: note})
}

// These are the limits for copies of files that git does not track. Beyond them the copy contains
// links to the files.
var (
	mostBytes int64 = 256 << 20
	mostFiles       = 20_000
)

// An extra is a file that git does not track and that is not a source of the module.
type extra struct {
	name string
	near bool // whether it is below the module or workspace of the tree
}

// copyTo copies the files of the tree. A note names files that were not copied.
func (t Tree) copyTo(ctx context.Context, into string) (note string, err error) {
	names, extras, err := t.files(ctx, into)
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(into), 0o777), os.Mkdir(into, 0o777)); err != nil {
		return "", err // an existing folder is an error, too: its files would become part of the tree
	}
	size := int64(0)
	for _, e := range extras {
		if info, err := os.Lstat(filepath.Join(t.Root, e.name)); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	if size > mostBytes || len(extras) > mostFiles {
		const mebibyte = 1 << 20
		note = fmt.Sprintf("git does not track %d files (%d MiB): the copy of the tree links to those of the module, and omits the others", len(extras), size/mebibyte)
		for _, e := range extras {
			if e.near {
				_ = link(filepath.Join(t.Root, e.name), filepath.Join(into, e.name)) // a system without links has none
			}
		}
	} else {
		for _, e := range extras {
			names = append(names, e.name)
		}
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err := t.copyEntry(name, into); err != nil {
			return "", err
		}
	}
	rel, err := filepath.Rel(t.Root, resolved(t.Dir))
	if err != nil {
		return "", err
	}
	return note, os.MkdirAll(filepath.Join(into, rel), 0o777) // it may be empty
}

// files returns the names of the files and links of the tree, relative to its root. It returns the
// files that every copy must have, and extras. Files in the copy's own folder are excluded.
func (t Tree) files(ctx context.Context, into string) (names []string, extras []extra, err error) {
	followed, others, err := t.listed(ctx)
	if err != nil {
		return nil, nil, err
	}
	near, err := sources(ctx, t.Dir)
	if err != nil { // the root of a workspace is in no module
		near = t.Root
	}
	own := filepath.Dir(into)
	leave := func(name string) bool { return within(t.Root, own) && within(own, filepath.Join(t.Root, name)) }
	for _, name := range followed {
		err := t.each(name, func(name string) {
			if !leave(name) {
				names = append(names, name)
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	for _, name := range others {
		err := t.each(name, func(name string) {
			e := extra{name, within(near, filepath.Join(t.Root, name))}
			switch {
			case leave(name):
			case e.near && isSource(name):
				names = append(names, name)
			default:
				extras = append(extras, e)
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return names, extras, nil
}

// each yields the name of a file. For a folder, which is a submodule or a nested repository, it
// yields the names of all its files.
func (t Tree) each(name string, yield func(string)) error {
	return filepath.WalkDir(filepath.Join(t.Root, name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case unreadable(err): // git still lists what the user has deleted
			return nil
		case err != nil:
			return err
		case entry.Name() == ".git" && entry.IsDir():
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		rel, err := filepath.Rel(t.Root, path)
		if err == nil {
			yield(rel)
		}
		return err
	})
}

// isSource reports whether the go command reads a file to build packages.
func isSource(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, ".go") || slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"}, base)
}

// unreadable reports whether a file does not exist or may not be read by this user, so that the
// programs that run in the copy could not read it either.
func unreadable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// copyEntry copies a file or a link of the tree. Other entries, such as pipes, and unreadable files
// are omitted.
func (t Tree) copyEntry(name, into string) error {
	from, to := filepath.Join(t.Root, name), filepath.Join(into, name)
	info, err := os.Lstat(from)
	switch {
	case unreadable(err):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return t.copyLink(from, to)
	case !info.Mode().IsRegular():
		return nil
	}
	return copyFile(from, to, info.Mode().Perm()|0o600)
}

// copyFile copies a file, if it can be read. If the file system supports it, the two files share
// their blocks.
func copyFile(from, to string, mode fs.FileMode) error {
	r, err := os.Open(from)
	if unreadable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// copyLink copies a link. A link to a file of the tree becomes a link to the file of the copy.
func (t Tree) copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	path := target
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from), path)
	}
	switch inside := within(t.Root, path); {
	case !inside:
		target = path
	case filepath.IsAbs(target):
		if target, err = filepath.Rel(filepath.Dir(from), path); err != nil {
			return err
		}
	}
	return link(target, to)
}

func link(target, name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.Symlink(target, name)
}
