package trees

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// settle adapts made, a copy of the tree t, to its new location, and returns it. The go.mod and
// go.work files of t may refer to folders outside the tree by relative paths, which settle rewrites
// in the copy.
func (t Tree) settle(ctx context.Context, made Tree) (Tree, error) {
	rel, err := filepath.Rel(t.Root, resolved(t.Dir))
	if err != nil {
		return made, err
	}
	made.Dir = filepath.Join(made.Root, rel)
	if _, err := os.Stat(made.Dir); err != nil {
		return made, fmt.Errorf("%s has no folder %s", made.Name, rel)
	}
	move := mover{from: t.Root, to: made.Root}
	err = filepath.WalkDir(made.Root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.Type().IsRegular() || isVendored(filepath.Dir(path)):
			return nil
		case entry.Name() == "go.mod":
			return move.mod(path)
		case entry.Name() == "go.work":
			return move.work(path, path)
		}
		return nil
	})
	if err != nil {
		return made, err
	}
	work, err := goEnv(ctx, t.Dir, "GOWORK")
	if err != nil {
		return made, err
	}
	switch {
	case work == "" || work == "off":
		made.Work = work
	case within(t.Root, resolved(work)):
		rel, err := filepath.Rel(t.Root, resolved(work))
		if err != nil {
			return made, err
		}
		made.Work = filepath.Join(made.Root, rel)
	default: // the workspace contains the tree
		made.Work = made.Root + ".work"
		if err := move.work(work, made.Work); err != nil {
			return made, err
		}
		if sums, err := os.ReadFile(work + ".sum"); err == nil {
			return made, os.WriteFile(made.Work+".sum", sums, 0o666)
		}
	}
	if _, err := os.Stat(made.Work); made.Work != "off" && err != nil {
		made.Work = "" // an older revision may have no go.work file
	}
	return made, nil
}

// isVendored reports whether the module or workspace in dir has its dependencies in a vendor
// folder. The go command then reads dependencies only from that folder, so settle need not rewrite
// any paths, and must not: vendor/modules.txt has to agree with go.mod or go.work.
func isVendored(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt"))
	return err == nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// A mover rewrites paths in files of a tree that was copied from one root folder to another.
type mover struct{ from, to string }

// path rewrites a path that occurs in a file in the folder dir. A path within the original tree
// becomes a path within the copy. Any other path becomes absolute.
func (m mover) path(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if rel, err := filepath.Rel(m.from, path); err == nil && within(m.from, path) {
		return filepath.Join(m.to, rel)
	}
	return path
}

// original returns the folder from which file, a file of the copy, was copied.
func (m mover) original(file string) string {
	rel, err := filepath.Rel(m.to, filepath.Dir(file))
	if err != nil || !within(m.to, file) {
		return filepath.Dir(file)
	}
	return filepath.Join(m.from, rel)
}

// mod rewrites, in a go.mod file of the copy, the replace directives that refer to folders outside
// the tree.
func (m mover) mod(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil // the file may be test input; if it matters, the go command reports the error
	}
	changed, dir := false, m.original(file)
	for _, r := range mod.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) || within(m.from, filepath.Join(dir, r.New.Path)) {
			continue
		}
		if err := mod.AddReplace(r.Old.Path, r.Old.Version, m.path(dir, r.New.Path), ""); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return write(file, mod.Syntax)
}

// work copies a go.work file and rewrites the paths in the copy. from and to are the names of the
// original and the copy.
func (m mover) work(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(from, data, nil)
	if err != nil {
		return nil
	}
	dir := m.original(from)
	for _, u := range slices.Clone(work.Use) { // SetUse would write an unchanged path twice
		use := modfile.Use{Path: m.path(dir, u.Path), ModulePath: u.ModulePath}
		if use.Path == u.Path {
			continue
		}
		if err := work.DropUse(u.Path); err != nil {
			return err
		}
		work.AddNewUse(use.Path, use.ModulePath)
	}
	work.Cleanup()
	for _, r := range work.Replace {
		if r.New.Version == "" {
			if err := work.AddReplace(r.Old.Path, r.Old.Version, m.path(dir, r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	return write(to, work.Syntax)
}

func write(file string, syntax *modfile.FileSyntax) error {
	return os.WriteFile(file, modfile.Format(syntax), 0o666)
}
