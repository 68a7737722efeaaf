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

// Copy copies the tree to a folder and returns the copy, to which programs may write. into is the
// path of the folder. The copy contains all files that the programs may read, whether git tracks
// them or not. If there are too many such files to copy, Note says so.
func Copy(ctx context.Context, t Tree, into string) (Tree, error) {
	note, err := t.copyTo(ctx, into)
	if err != nil {
		return Tree{}, err
	}
	return t.settle(ctx, Tree{Name: t.Name, Root: into, Revision: t.Revision, Dirty: t.Dirty, Note: note})
}

// These limits apply to the files that git does not track. If their total size or their number
// exceeds a limit, they are not copied. The copy then contains only links to the untracked files of
// the module or workspace.
var (
	mostBytes int64 = 256 << 20
	mostFiles       = 20_000
)

// An extra is a file that git does not track and that is not a source file of the module.
type extra struct {
	name string
	near bool // whether the file is below the module or workspace of the tree
}

// copyTo copies the files of the tree to a new folder, whose path is into. The note describes the
// files that were not copied, if any.
func (t Tree) copyTo(ctx context.Context, into string) (note string, err error) {
	names, extras, err := t.files(ctx, into)
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(into), 0o777), os.Mkdir(into, 0o777)); err != nil {
		return "", err // also if the folder exists: its files would become part of the tree
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
				_ = link(filepath.Join(t.Root, e.name), filepath.Join(into, e.name)) // some systems have no links
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
	return note, os.MkdirAll(filepath.Join(into, rel), 0o777) // the folder may contain no files
}

// files returns the files and links of the tree, relative to its root. names are the files that
// every copy must contain, and extras are the others. Files in the folder of the copy itself are
// excluded.
func (t Tree) files(ctx context.Context, into string) (names []string, extras []extra, err error) {
	followed, others, err := t.listed(ctx)
	if err != nil {
		return nil, nil, err
	}
	near, err := sources(ctx, t.Dir)
	if err != nil { // for example, the root of a workspace is in no module
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

// each calls yield with name if name is a file. If name is a folder, such as a submodule or a
// nested repository, it calls yield with the name of every file in the folder.
func (t Tree) each(name string, yield func(string)) error {
	return filepath.WalkDir(filepath.Join(t.Root, name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case unreadable(err): // git still lists files that the user has deleted
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

// isSource reports whether the go command reads a file with this name when it builds packages.
func isSource(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, ".go") || slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"}, base)
}

// unreadable reports whether err says that a file does not exist or that this user may not read it.
// Programs that run in the copy could not read such a file either.
func unreadable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// copyEntry copies a file or a link of the tree. It skips other entries, such as pipes, and
// unreadable files.
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

// copyFile copies a file, or does nothing if the file cannot be read. If the file system supports
// it, both files share their blocks.
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

// copyLink copies a link. If the link refers to a file of the tree, its copy refers to the copy of
// the file.
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
