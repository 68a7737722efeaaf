package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/modfile"
)

// library is the path of the library's module, which the others require.
const library = "github.com/coppice-go/coppice"

// released contains the folders of the released modules. Each module comes after the modules that
// it requires, because these must be available first.
var released = []string{".", "flat", "prom", "cmd", "golangci", "workloads"}

// inStep lists all files that name the version of the library, of flat or of the tools.
var inStep = []string{".pre-commit-hooks.yaml", "go.work", "flat/go.mod", "prom/go.mod", "cmd/go.mod", "golangci/go.mod", "workloads/go.mod", "examples/go.mod", "workshop/go.mod"}

// tag returns the git tag for a version of the module in the folder.
func tag(folder, version string) string {
	if folder == "." {
		return version
	}
	return folder + "/" + version
}

// path returns the path of the module in the folder.
func path(folder string) string {
	if folder == "." {
		return library
	}
	return library + "/" + folder
}

// isRequired reports whether other modules of ours require the module with that path.
func isRequired(path string) bool {
	return path == library || path == library+"/flat" || path == library+"/cmd"
}

// installed matches a command of ours with the version at which it is installed.
var installed = regexp.MustCompile(`(` + regexp.QuoteMeta(library) + `/cmd/[\w-]+@)v[\w.-]+`)

// atVersion returns a go.mod or go.work file, or a file that names commands at a version, with the
// versions of our modules replaced.
func atVersion(name string, data []byte, version string) ([]byte, error) {
	if filepath.Ext(name) == ".yaml" {
		return installed.ReplaceAll(data, []byte("${1}"+version)), nil
	}
	if filepath.Base(name) == "go.work" {
		file, err := modfile.ParseWork(name, data, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range file.Replace {
			if at := slices.Index(r.Syntax.Token, r.Old.Version); isRequired(r.Old.Path) && at >= 0 {
				r.Syntax.Token[at] = version // AddReplace would write a line without the comment
			}
		}
		return modfile.Format(file.Syntax), nil
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range file.Require {
		if !isRequired(r.Mod.Path) {
			continue
		}
		if err := file.AddRequire(r.Mod.Path, version); err != nil {
			return nil, err
		}
	}
	return file.Format()
}

// setVersions writes the version into all files that name it.
func setVersions(root, version string) error {
	for _, name := range inStep {
		file := filepath.Join(root, name)
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if data, err = atVersion(name, data, version); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
