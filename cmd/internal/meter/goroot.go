package meter

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copied returns a copy of the toolchain at env.GOROOT, and makes it if there is none. The copy is there whole or not
// at all, also if two processes make it at once or one of them is killed.
func copied(env goEnvironment) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "coppice", "goroot")
	to := filepath.Join(parent, env.GOVERSION+"."+env.GOHOSTOS+"-"+env.GOHOSTARCH)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(parent, "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	whole := filepath.Join(temp, "goroot")
	if err := copyTree(whole, env.GOROOT); err != nil {
		return "", err
	}
	if err := os.Rename(whole, to); err != nil {
		if _, e := os.Stat(to); e == nil { // another process was faster
			return to, nil
		}
		return "", err
	}
	return to, nil
}

// copyTree copies a folder. Files that can be linked are not copied: nobody writes to those of the module cache, nor to ours.
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

// copyFile copies a file, and what may be done with it.
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
