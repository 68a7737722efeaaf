package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/rules"
)

// rulesFile is the name of the rules file in the folder of a driver. Its rules apply to the package
// that the driver calls.
const rulesFile = "rules.toml"

// A build contains the parameters for building one form of a program.
type build struct {
	driver string // folder of the driver, which is a module of its own
	folder string // folder for the copies
	form   string
	out    string // path of the built program
}

// run copies the program, rewrites the copy and builds it. It reports to w which sites were
// rewritten.
func (b build) run(w io.Writer) error {
	data, err := os.ReadFile(filepath.Join(b.driver, rulesFile))
	if err != nil {
		return err
	}
	wanted, err := rules.Parse(filepath.Join(b.driver, rulesFile), data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.folder), 0o777); err != nil {
		return err
	}
	lock := flock.New(b.folder + ".lock") // prevents concurrent builds by two labs in one checkout
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	if err := os.RemoveAll(b.folder); err != nil {
		return err
	}
	if wanted.Module == standard {
		err = b.copyStandard(&wanted)
	} else {
		err = b.copyModule(wanted.Module)
	}
	if err != nil {
		return err
	}
	switch {
	case b.form == original:
	case slices.Contains(changes(b.driver), b.form):
		err = b.apply()
	default:
		err = b.rewrite(wanted, w)
	}
	if err != nil {
		return err
	}
	_, err = b.command(b.folder, "build", "-tags", "coppice_"+b.form, "-o", b.out, ".")
	return err
}

// rewrite changes the packages for which the form has rules.
func (b build) rewrite(wanted rules.File, w io.Writer) error {
	patterns := wanted.Packages(rules.Form(b.form))
	if len(patterns) == 0 {
		return fmt.Errorf("no rule has the form %s", b.form)
	}
	config := &packages.Config{Mode: rewrite.Mode, Dir: b.folder, Env: environment()}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return err
	}
	for _, pkg := range loaded {
		result, err := rules.Package(pkg, wanted.Rules, rules.Form(b.form))
		if err != nil {
			return err
		}
		for name, data := range result.Files {
			if err := os.WriteFile(name, data, 0o666); err != nil {
				return err
			}
		}
		for _, c := range result.Counts {
			fmt.Fprintln(w, c)
		}
	}
	if b.form == string(rules.Arena) && wanted.Export != "" {
		return b.export(wanted.Export, patterns)
	}
	return nil
}

// changes returns the names of a driver's additional forms. Each form is defined by a file of
// edits, changes/FORM.diff.
func changes(driver string) (forms []string) {
	files, _ := filepath.Glob(filepath.Join(driver, "changes", "*.diff")) // the pattern is valid
	for _, f := range files {
		forms = append(forms, strings.TrimSuffix(filepath.Base(f), ".diff"))
	}
	return forms
}

// apply makes the edits of an additional form in the copy of the module.
func (b build) apply() error {
	cmd := exec.Command("git", "apply", "--unidiff-zero", filepath.Join(b.driver, "changes", b.form+".diff"))
	cmd.Dir = filepath.Join(b.folder, "module")
	// If the copy were inside a git work tree, git would resolve the paths relative to the root of
	// that tree.
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+b.folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git apply of %s.diff: %w: %s", b.form, err, strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// export generates a file for the package with the path from. Through this file, a program can set
// the arenas of the packages in to.
func (b build) export(from string, to []string) error {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: b.folder, Env: environment()}, from)
	if err != nil {
		return err
	}
	if len(loaded) != 1 || len(loaded[0].GoFiles) == 0 {
		return fmt.Errorf("there is no package %s to export the arena", from)
	}
	data, err := rules.Export(loaded[0].Name, to)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(filepath.Dir(loaded[0].GoFiles[0]), rules.GeneratedFile), data, 0o666)
}

// environment returns the environment of go commands. It turns off the workspace, which contains
// neither the drivers nor the copies.
func environment() []string { return append(os.Environ(), "GOWORK=off") }

// command runs the go command in a folder and returns the output. The error contains the go
// command's messages on one line.
func (b build) command(folder string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = folder, environment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w: %s", args[0], folder, err, strings.Join(strings.Fields(stderr.String()), " "))
	}
	return out, nil
}
