// Package sources finds and hashes the source files of contenders. A hash of the binaries would not
// do, because binaries built from the same sources differ by toolchain and folder. The hash of the
// sources shows, years later and on any machine, whether results belong to the programs of a tree.
//
// The sources of a contender are its build and run commands and the following files in the tree:
//
//   - for a Go build, the packages that the command names and all their dependencies in modules of
//     this tree, without tests and comments, and the required versions of other modules that they
//     import;
//   - for C and C++, the files that the command names and the files that they include;
//   - for any other file that a command names, all files in the folder of that file, and for a
//     folder, all of its files;
//   - if the contender is built by a Go program (`go run`), also the folder in which it is
//     declared.
//
// Documents, declarations of experiments and test data are not sources. The same applies to files
// that git ignores, compiled Python files, and the results and plans that the lab writes.
//
// Files, from top to bottom: tree.go (files of a tree), written.go (what the lab writes), golang.go
// (Go packages), include.go (C and C++), sources.go.
package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// Of returns a short hash of a contender's sources, or "" if the tree contains none of them.
func (t *Tree) Of(c experiment.Contender) string {
	parts := t.parts(c)
	if len(parts) == 0 {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n%q\n", c.Build, c.Run)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(sum, "%q %s\n", name, parts[name])
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// Since returns the hash of a contender's sources in t if no source was changed or removed since an
// earlier state of the tree. New files are allowed, because the build and the first runs of the
// contender may have created them. Otherwise, Since returns the hash in the earlier state, from
// which the program may have been built.
func (t *Tree) Since(before *Tree, c experiment.Contender) string {
	is := t.parts(c)
	for name, hash := range before.parts(c) {
		if is[name] != hash {
			return before.Of(c)
		}
	}
	return t.Of(c)
}

// parts returns the source files of a contender with their hashes.
func (t *Tree) parts(c experiment.Contender) parts {
	parts := parts{}
	golang := slices.Contains(c.Build, "go")
	if golang {
		t.addGo(parts, c.Build)
	} else {
		for _, word := range c.Build {
			t.addWord(parts, word, includes(c.Build))
		}
	}
	for _, word := range slices.Concat(c.Run, c.Program) {
		t.addWord(parts, word, nil)
	}
	if golang && slices.Contains(c.Build, "run") && c.Folder != "" {
		t.addFolder(parts, c.Folder)
	}
	return parts
}

// parts maps the names of source files to their hashes.
type parts map[string]string

// addGo adds the packages that a go command builds. Without package arguments, this is the package
// in the command's folder.
func (t *Tree) addGo(to parts, build []string) {
	folder, named := "", []string{}
	for i := slices.Index(build, "go"); i < len(build); i++ {
		switch word := build[i]; {
		case word == "-C" && i+1 < len(build):
			i++
			folder = build[i]
		case word == "-o":
			i++ // the output path is not a source
		case word == "." || strings.HasPrefix(word, "./"):
			named = append(named, word)
		case path.Ext(word) == ".go":
			named = append(named, path.Dir(word))
		}
	}
	if len(named) == 0 {
		named = []string{"."}
	}
	for _, word := range named {
		t.addPackage(to, path.Join(folder, word))
	}
}

// addWord adds the sources to which a word of a command refers. If the word names a folder, these
// are its files; for a C or C++ file, the file and its headers; for any other file, all files in
// its folder.
func (t *Tree) addWord(to parts, word string, from []string) {
	place := t.place(word)
	switch {
	case place == "":
	case t.isFolder(place):
		t.addFolder(to, place)
	case isC(place):
		t.addIncluding(to, place, from)
	case path.Dir(place) == ".": // the files in the root may belong to several programs
		t.add(to, place)
	default:
		t.addFolder(to, path.Dir(place))
	}
}
