package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/modfile"
)

// library is the path of the library's module, which the other modules require.
const library = "github.com/coppice-go/coppice"

// released lists the folders of the released modules. Each module follows the modules that it
// requires, which must be published first.
var released = []string{".", "flat", "prom", "cmd", "golangci", "workloads"}

// inStep lists all files that contain the version of the library, of flat or of the tools, and that
// a release must therefore update.
var inStep = []string{".pre-commit-hooks.yaml", "go.work", "flat/go.mod", "prom/go.mod", "cmd/go.mod", "golangci/go.mod", "workloads/go.mod", "examples/go.mod", "workshop/go.mod"}

// tag returns the git tag for a version of the module in a folder.
func tag(folder, version string) string {
	if folder == "." {
		return version
	}
	return folder + "/" + version
}

// path returns the module path of the module in a folder.
func path(folder string) string {
	if folder == "." {
		return library
	}
	return library + "/" + folder
}

// isRequired reports whether other modules of this repository require the module with the given
// path.
func isRequired(path string) bool {
	return path == library || path == library+"/flat" || path == library+"/cmd"
}

// installed matches the path of a command of this repository with a version, as it is passed to go
// install.
var installed = regexp.MustCompile(`(` + regexp.QuoteMeta(library) + `/cmd/[\w-]+@)v[\w.-]+`)

// atVersion returns the contents of a file after replacing the versions of this repository's
// modules with the given version. The file is a go.mod or go.work file, or a YAML file that
// contains commands with their version.
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
				r.Syntax.Token[at] = version // AddReplace would drop the comment from the line
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

// setVersions writes the version to all files in inStep.
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
