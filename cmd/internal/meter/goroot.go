package meter

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copied returns the path of a copy of the toolchain at env.GOROOT, and creates the copy if
// necessary. The copy is built in dir, a folder for temporary files, and then renamed into the
// user's cache folder. So it is either complete or missing, even if two processes create it at once
// or one of them is killed. Without a cache folder, it stays in dir.
func copied(env goEnvironment, dir string) (string, error) {
	to, err := cachedRoot(env)
	if err == nil {
		if _, err := os.Stat(to); err == nil {
			return to, nil
		}
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	whole := filepath.Join(dir, "goroot")
	if _, e := os.Stat(whole); e == nil {
		return whole, nil // an earlier call could not move the copy to the cache
	}
	part := whole + ".part"
	if err := errors.Join(os.RemoveAll(part), copyTree(part, env.GOROOT)); err != nil {
		_ = os.RemoveAll(part) // the first error is more useful
		return "", err
	}
	if err == nil {
		if os.Rename(part, to) == nil {
			return to, nil
		}
		if _, e := os.Stat(to); e == nil { // another process has created the copy in the meantime
			return to, os.RemoveAll(part)
		}
	}
	return whole, os.Rename(part, whole)
}

// cachedRoot returns the path of a toolchain's copy in the user's cache folder.
func cachedRoot(env goEnvironment) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "coppice", "goroot", env.GOVERSION+"."+env.GOHOSTOS+"-"+env.GOHOSTARCH), err
}

// copyTree copies a folder, with hard links to the files where possible. Links are safe because
// files of the module cache and of the copy are never written to.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if e.IsDir() {
			return os.Mkdir(target, 0o777)
		}
		if err := os.Link(path, target); err == nil {
			return nil
		}
		return copyFile(target, path)
	})
}

// copyFile copies a file and its permissions.
func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
