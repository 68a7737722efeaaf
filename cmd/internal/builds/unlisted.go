package builds

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Unlisted contains Go files that users may run although no pattern of the go command matches them:
// programs with the tag ignore, files in testdata or in folders that go.mod ignores, and files and
// folders whose names begin with _ or a dot. Only the files that import a changed package, directly
// or through other packages of the module, or that belong to such a package, are included.
//
// Each file with a main function forms a package with the other files of its folder that have the
// same package name. If none of the files with the same package name has a main function, these
// files form one package. These packages are in virtual folders, which exist only in the overlay
// for the go command.
type Unlisted struct {
	Folders []string          // absolute paths
	Overlay map[string][]byte // files in Folders for the go command, which contain only imports
	Names   map[string]string // for each file in Overlay, its path on disk
	Dark    []string          // files that cannot be checked: other files of their packages are unknown
}

// findUnlisted finds the unlisted files and groups them into packages.
func (s *Set) findUnlisted() *Unlisted {
	u := &unlisting{&Unlisted{Overlay: map[string][]byte{}, Names: map[string]string{}}, s, s.reaching()}
	folders := map[string][]*source{}
	for _, f := range s.module.unlisted {
		folders[f.path] = append(folders[f.path], f.files...)
	}
	for path, f := range s.module.folders {
		for _, file := range f.files {
			if !s.rules.possible(file.class) && !slices.Contains(folders[path], file) {
				folders[path] = append(folders[path], file)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		u.folder(path, folders[path])
	}
	return u.Unlisted
}

// reaching returns the import paths of the packages that change and of the packages in any folder
// of the module that import them, directly or indirectly.
func (s *Set) reaching() map[string]bool {
	reached := maps.Clone(s.change)
	for more := true; more; {
		more = false
		for _, folders := range []map[string]*folder{s.module.folders, s.module.unlisted} {
			for path, f := range folders {
				if !reached[path] && slices.ContainsFunc(f.files, func(file *source) bool { return file.reaches(reached) }) {
					reached[path], more = true, true
				}
			}
		}
	}
	return reached
}

// reaches reports whether a file imports one of the given packages. If the imports of the file
// could not be parsed, any occurrence of a quoted import path in the file is treated as an import.
func (f *source) reaches(some map[string]bool) bool {
	if slices.ContainsFunc(f.imports, func(path string) bool { return some[path] }) {
		return true
	}
	for path := range some {
		if strings.Contains(f.broken, strconv.Quote(path)) {
			return true
		}
	}
	return false
}

// unlisting builds an Unlisted.
type unlisting struct {
	*Unlisted
	set      *Set
	reaching map[string]bool
}

// folder groups the files of a folder into packages.
func (u *unlisting) folder(path string, files []*source) {
	byName := map[string][]*source{}
	for _, f := range files {
		switch {
		case u.isOf(path, f):
			if u.reaching[path] {
				u.Dark = append(u.Dark, f.name)
			}
		case f.class.cgo || u.set.rules.possible(f.class) && !u.set.rules.takes(u.set.Present, f.class):
			if f.reaches(u.reaching) {
				u.Dark = append(u.Dark, f.name)
			}
		default:
			name := f.pkg
			if strings.HasSuffix(f.name, "_test.go") {
				name = strings.TrimSuffix(name, "_test")
			}
			byName[name] = append(byName[name], f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		var programs, others []*source
		for _, f := range byName[name] {
			if f.isProgram() {
				programs = append(programs, f)
			} else {
				others = append(others, f)
			}
		}
		for _, f := range programs {
			u.add(append([]*source{f}, others...))
		}
		if len(programs) == 0 {
			u.add(others)
		}
	}
}

// isOf reports whether a file can be compiled only as part of the package in its folder, which the
// go command finds without this file.
func (u *unlisting) isOf(path string, file *source) bool {
	listed := u.set.module.folders[path]
	return listed != nil && !file.isProgram() && slices.ContainsFunc(listed.files, func(f *source) bool {
		return f.pkg == file.pkg && f != file && u.set.rules.possible(f.class) && !strings.HasSuffix(f.pkg, "_test") && !u.set.module.isIgnored(u.set.Short(listed.dir))
	})
}

// isProgram reports whether a file declares the main function of a program.
func (f *source) isProgram() bool {
	if f.pkg != "main" {
		return false
	}
	file, _ := parser.ParseFile(token.NewFileSet(), f.name, nil, parser.SkipObjectResolution)
	return file != nil && slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == "main"
	})
}

// add makes a package from the files if one of them imports a changed package, directly or
// indirectly. The virtual folder of the package is inside the folder of the files, so that the
// package may import the same internal packages.
func (u *unlisting) add(files []*source) {
	if !slices.ContainsFunc(files, func(f *source) bool { return f.reaches(u.reaching) }) {
		return
	}
	folder := filepath.Join(filepath.Dir(files[0].name), fmt.Sprintf("coppice-unlisted-%d", len(u.Folders)+1))
	u.Folders = append(u.Folders, folder)
	for i, f := range files {
		name := fmt.Sprintf("f%d.go", i) // the original name may contain a GOOS or GOARCH
		if strings.HasSuffix(f.name, "_test.go") {
			name = fmt.Sprintf("f%d_test.go", i)
		}
		name = filepath.Join(folder, name)
		text := f.header(u.reaching)
		if i == 0 && f.pkg == "main" {
			text += "func main() {}\n" // package main must compile
		}
		u.Overlay[name], u.Names[name] = []byte(text), f.name
	}
}

// Rename replaces the virtual names of unlisted files in the given packages with their names on
// disk. It reports whether it replaced any name.
func (u *Unlisted) Rename(all ...*packages.Package) (some bool) {
	for _, p := range all {
		for _, files := range [][]string{p.GoFiles, p.CompiledGoFiles} {
			for i, name := range files {
				if real, ok := u.Names[name]; ok {
					files[i], some = real, true
				}
			}
		}
	}
	return some
}

// Files returns the names of the unlisted files on disk.
func (u *Unlisted) Files() []string {
	return slices.Compact(slices.Sorted(maps.Values(u.Names)))
}

// header returns Go source that consists of a package clause and the imports of the file. If the
// imports could not be parsed, the result imports each given package whose path occurs in the file.
func (f *source) header(some map[string]bool) string {
	name := f.pkg
	if !token.IsIdentifier(name) || name == "documentation" { // not valid for the go command
		name = "broken"
	}
	text := "package " + name + "\n"
	for _, path := range f.imports {
		text += fmt.Sprintf("import _ %q\n", path)
	}
	for _, path := range slices.Sorted(maps.Keys(some)) {
		if strings.Contains(f.broken, strconv.Quote(path)) {
			text += fmt.Sprintf("import _ %q\n", path)
		}
	}
	return text
}
