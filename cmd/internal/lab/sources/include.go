package sources

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// isC reports whether the name of a file is the name of a C or C++ source file or header.
func isC(name string) bool {
	return slices.Contains([]string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc", ".ipp"}, path.Ext(name))
}

// includes returns the folders that the -I options of a build command name.
func includes(build []string) (all []string) {
	for i, word := range build {
		if folder, ok := strings.CutPrefix(word, "-I"); ok && folder != "" {
			all = append(all, folder)
		} else if ok && i+1 < len(build) {
			all = append(all, build[i+1])
		}
	}
	return all
}

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]`)

// addIncluding adds a C or C++ file and, recursively, the files in the tree that it includes. It
// searches the folder of the including file, and then the folders that the compiler searches.
func (t *Tree) addIncluding(to parts, name string, from []string) {
	if to[name] != "" {
		return
	}
	to[name] = t.hash(name)
	for _, found := range include.FindAllSubmatch(t.read(name), -1) {
		for _, folder := range append([]string{path.Dir(name)}, from...) {
			if place := t.place(path.Join(folder, string(found[1]))); place != "" && !t.isFolder(place) {
				t.addIncluding(to, place, from)
				break
			}
		}
	}
}
