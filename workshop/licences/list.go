package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ours is the prefix of the paths of the modules in this repository.
const ours = "github.com/coppice-go/coppice"

// systems are the operating systems for which the commands are compiled. The document is the same
// on each of them.
var systems = []string{"linux", "darwin", "windows"}

// A part is a section of the document with one table of modules.
type part struct {
	title    string
	text     string
	packages []string // package patterns for go list; packages in internal folders are left out
	flags    []string // further arguments for go list
}

// parts lists the parts in the order of the document. A module is listed only in the first part
// that needs it.
var parts = []part{
	{"The library and flat", "A program that imports a package of Coppice takes these in, besides Go's standard library.", []string{"./...", "./flat/..."}, nil},
	{"prom", "A program that imports the adapter for Prometheus takes these in, too.", []string{"./prom"}, nil},
	{"The commands", "`coppice` and `coppice-vet` hold these as well.", []string{"./cmd/..."}, nil},
	{"golangci", "A golangci-lint that is built with the plugin takes these in, too.", []string{"./golangci"}, nil},
	{"Tests and tools", "No program that users build or import contains these.", nil, []string{"-test", "-tags", "browser", "work", "tool"}},
}

// head is the start of the document.
const head = `# Licences

Coppice is under the [Apache License 2.0](../LICENSE). This is what it imports.
` + "`go run ./workshop/licences`" + ` writes this list from the modules themselves, for Linux, macOS and
Windows, and ` + "`go test ./workshop/licences`" + ` fails if it is not up to date, or if a licence is not
one of %s.
The texts are in the modules, in the files named; binaries of a release carry them in their NOTICE
(` + "`go run ./workshop/licences -notice FILE`" + `). A module is in the first table that it belongs to.

The programs that the lab compares with are separate modules, outside of go.work, and are not
listed. Go's standard library (BSD-3-Clause) comes with Go. One file of another project is in the
tree itself: axe-core, under MPL-2.0, which only [tests](../cmd/internal/browser/axe/README.md) run.
`

// A dependency is a third-party module.
type dependency struct {
	path, folder string
	version      string
	packages     []string // package folders in the module, with slashes
}

// list returns the contents of the document. root is the root of the source tree.
func list(ctx context.Context, root string) ([]byte, error) {
	ids := make([]string, 0, len(allowed))
	for _, l := range allowed {
		ids = append(ids, l.id)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, head, strings.Join(ids, ", "))
	seen := map[string]bool{}
	var bad []error
	for _, p := range parts {
		all, err := p.imported(ctx, root)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| module | licence | text |\n| --- | --- | --- |\n", p.title, p.text)
		for _, d := range all {
			if seen[d.path] {
				continue
			}
			seen[d.path] = true
			ids, files, err := find(os.DirFS(d.folder), d.packages)
			if err != nil {
				bad = append(bad, fmt.Errorf("%s: %w", d.path, err))
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", d.path, strings.Join(ids, ", "), strings.Join(files, ", "))
		}
	}
	return out.Bytes(), errors.Join(bad...)
}

// imported returns the third-party modules whose packages the part imports, sorted by path.
func (p part) imported(ctx context.Context, root string) ([]dependency, error) {
	byPath := map[string]*dependency{}
	for _, system := range systems {
		args := append([]string{"-deps", "-json=Dir,Module"}, p.flags...)
		if len(p.packages) > 0 {
			names, err := goList(ctx, root, system, p.packages...)
			if err != nil {
				return nil, err
			}
			args = append(args, slices.DeleteFunc(strings.Fields(string(names)), func(name string) bool {
				return strings.Contains(name, "/internal/")
			})...)
		}
		packages, err := goList(ctx, root, system, args...)
		if err != nil {
			return nil, err
		}
		if err := add(byPath, packages); err != nil {
			return nil, err
		}
	}
	all := make([]dependency, 0, len(byPath))
	for _, d := range byPath {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// goList runs go list for the given operating system and returns its output.
func goList(ctx context.Context, root, system string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", system, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// add adds packages, the output of go list -json, to the modules in byPath.
func add(byPath map[string]*dependency, packages []byte) error {
	for from := json.NewDecoder(bytes.NewReader(packages)); ; {
		var p struct {
			Dir    string
			Module *struct{ Path, Dir, Version string }
		}
		if err := from.Decode(&p); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		m := p.Module
		if m == nil || m.Path == ours || strings.HasPrefix(m.Path, ours+"/") {
			continue
		}
		folder, err := filepath.Rel(m.Dir, p.Dir)
		if err != nil {
			return err
		}
		if byPath[m.Path] == nil {
			byPath[m.Path] = &dependency{path: m.Path, folder: m.Dir, version: m.Version}
		}
		d := byPath[m.Path]
		d.packages = append(d.packages, filepath.ToSlash(folder))
	}
}
