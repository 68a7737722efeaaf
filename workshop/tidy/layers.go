package tidy

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
)

// layered contains the packages that must have a comment with the order in which to read their
// files. The comment is optional in other packages.
var layered = []string{"store"}

// orderBegins is the beginning of the comment that lists the files of a package, from the highest
// layer to the lowest. Each indented line of the comment is a layer: file names, followed by a
// description.
const orderBegins = "Files, from top to bottom."

// fileOrder checks packages with a comment about the order of their files. Each file may use only
// functions, methods, types, constants, variables and fields that are declared in the file itself
// or in a file of a lower layer. Tests may use everything.
func fileOrder(t *Tree) (all []Complaint) {
	packages := map[string][]*GoFile{}
	for _, f := range t.Go {
		if !f.Test {
			packages[f.Package] = append(packages[f.Package], f)
		}
	}
	for folder, files := range packages {
		layers, in := orderOf(files)
		switch {
		case layers != nil:
			all = append(all, listedFiles(layers, files, in)...)
			all = append(all, upwardUses(t, layers, files)...)
		case slices.Contains(layered, folder):
			all = append(all, Complaint{files[0].Path, 0, fmt.Sprintf("package %s does not say in which order to read its files; add a comment that begins %q", folder, orderBegins)})
		}
	}
	return all
}

// orderOf returns the index of each file's layer, where 0 is the highest layer, and the file that
// contains the comment about the order.
func orderOf(files []*GoFile) (layers map[string]int, in *GoFile) {
	for _, f := range files {
		for _, group := range f.Comments {
			if !strings.HasPrefix(group.Text(), orderBegins) {
				continue
			}
			layers = map[string]int{path.Base(f.Path): -1} // this file may be anywhere, because it uses nothing
			layer := 0
			for line := range strings.Lines(group.Text()) {
				if !strings.HasPrefix(line, "\t") {
					continue
				}
				for _, word := range strings.Fields(strings.ReplaceAll(line, ",", " ")) {
					if strings.HasSuffix(word, ".go") {
						layers[word] = layer
					}
				}
				layer++
			}
			return layers, f
		}
	}
	return nil, nil
}

// listedFiles requires that the comment about the order lists exactly the files of the package.
func listedFiles(layers map[string]int, files []*GoFile, in *GoFile) (all []Complaint) {
	found := map[string]bool{}
	for _, f := range files {
		name := path.Base(f.Path)
		found[name] = true
		if _, ok := layers[name]; !ok {
			all = append(all, Complaint{f.Path, 0, "it has no place in the order of files; name it in " + in.Path})
		}
	}
	for name := range layers {
		if !found[name] {
			all = append(all, Complaint{in.Path, 0, "the order of files names " + name + ", and there is none; take it out"})
		}
	}
	return all
}

// upwardUses complains about uses of names that are declared in another file of the same layer, or
// in a higher layer. The package is type-checked without its imports, because only its own names
// matter.
func upwardUses(t *Tree, layers map[string]int, files []*GoFile) (all []Complaint) {
	parsed := make([]*ast.File, len(files))
	for i, f := range files {
		parsed[i] = f.File
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := config.Check(files[0].Package, t.fset, parsed, info) // the errors concern imports

	said := map[string]bool{}
	for name, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		user, maker := path.Base(t.fset.Position(name.Pos()).Filename), path.Base(t.fset.Position(object.Pos()).Filename)
		above, below := layers[user], layers[maker]
		key := user + " " + maker + " " + name.Name
		if user == maker || above < below || said[key] {
			continue
		}
		said[key] = true
		file := files[slices.IndexFunc(files, func(f *GoFile) bool { return path.Base(f.Path) == user })]
		all = append(all, Complaint{file.Path, 0, fmt.Sprintf("it uses %s of %s, which is not below it; move one of the two, or hand the value down", name.Name, maker)})
	}
	return all
}

// A nothing is a types.Importer that cannot import any package.
type nothing struct{}

// Import always returns an error.
func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not asked for") }
