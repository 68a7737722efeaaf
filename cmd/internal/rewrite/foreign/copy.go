package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/rules"
)

// standard is the name of the standard library in rules files.
const standard = "std"

// listed is the go command's description of a package.
type listed struct {
	ImportPath, Dir string
	Imports         []string
	Module          *struct{ Path, Dir string }
}

// list returns the packages that match patterns and all their dependencies.
func (b build) list(patterns ...string) (map[string]listed, error) {
	out, err := b.command(b.driver, append([]string{"list", "-deps", "-json=ImportPath,Dir,Imports,Module"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	all := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all[p.ImportPath] = p
	}
}

// copyModule copies the driver, and the packages of the module that it uses.
func (b build) copyModule(module string) error {
	all, err := b.list(".")
	if err != nil {
		return err
	}
	to := filepath.Join(b.folder, "module")
	found := false
	for _, p := range all {
		if p.Module == nil || p.Module.Path != module {
			continue
		}
		rel, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			return err
		}
		if !found {
			found = true
			if err := copyModFile(module, filepath.Join(p.Module.Dir, "go.mod"), filepath.Join(to, "go.mod")); err != nil {
				return err
			}
		}
		if err := copyFolder(p.Dir, filepath.Join(to, rel), nil); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s uses no package of the module %s", b.driver, module)
	}
	return b.copyDriver(module, to, nil)
}

// leastGo is the minimum language version of copied modules, because generated files need it. This
// version has type parameters, min and max, but the iterations of a loop still share the loop
// variable.
const leastGo = "1.21"

// copyModFile copies the go.mod file of a module, and raises an older language version to leastGo.
// If the module has no go.mod file, copyModFile creates one.
func copyModFile(module, from, to string) error {
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("module "+module+"\n"), nil
	}
	if err != nil {
		return err
	}
	mod, err := modfile.ParseLax(from, data, nil)
	if err != nil {
		return err
	}
	if mod.Go == nil || version.Compare("go"+mod.Go.Version, "go"+leastGo) < 0 {
		if err := mod.AddGoStmt(leastGo); err != nil {
			return err
		}
		if data, err = mod.Format(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// copyDriver copies the driver. The go.mod file of the copy replaces the module with a folder.
func (b build) copyDriver(module, folder string, change func([]byte) []byte) error {
	if err := copyFolder(b.driver, b.folder, change); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(b.driver, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(mod.Replace) {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			if err := mod.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(b.driver, r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	if module != "" {
		if err := mod.AddReplace(module, "", folder, ""); err != nil {
			return err
		}
	}
	mod.Cleanup()
	if data, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.folder, "go.mod"), data, 0o666)
}

// copyStandard copies packages of the standard library into the driver's module under other import
// paths, together with the internal packages that they import. It changes the paths in the rules
// accordingly.
func (b build) copyStandard(file *rules.File) error {
	wanted := slices.Clone(file.Also)
	for _, r := range file.Rules {
		wanted = append(wanted, r.Package)
	}
	all, err := b.list(wanted...)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(b.driver, "go.mod"))
	if err != nil {
		return err
	}
	moved := map[string]string{} // new paths, by old path
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		if moved[name] != "" {
			continue
		}
		moved[name] = path.Join(modfile.ModulePath(data), standard, name)
		for _, i := range all[name].Imports {
			if slices.Contains(strings.Split(i, "/"), "internal") {
				wanted = append(wanted, i)
			}
		}
	}
	change := func(source []byte) []byte {
		for old, name := range moved {
			source = bytes.ReplaceAll(source, []byte(strconv.Quote(old)), []byte(strconv.Quote(name)))
		}
		return source
	}
	for _, name := range slices.Sorted(maps.Keys(moved)) {
		if err := copyFolder(all[name].Dir, filepath.Join(b.folder, standard, filepath.FromSlash(name)), change); err != nil {
			return err
		}
	}
	for i := range file.Rules {
		file.Rules[i].Package = moved[file.Rules[i].Package]
	}
	return b.copyDriver("", "", change)
}

// copyFolder copies the files of a folder, except for tests, subfolders and go.mod.
func copyFolder(from, to string, change func([]byte) []byte) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || name == "go.mod" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
		if change != nil && strings.HasSuffix(name, ".go") {
			data, err := os.ReadFile(filepath.Join(to, name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, name), change(data), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
