package change

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/builds"
	"github.com/coppice-go/coppice/cmd/internal/reach"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Taken returns the reason that a struct of the package cannot get a field with a given name, or ""
// if it can. In some build, the struct may already have a field or a method with that name. If
// other types embed the struct, the new field might hide a field or method of these types, or make
// the name ambiguous. So in that case, every name that occurs in the files of the package, in any
// build, is considered taken. Other packages do not matter, because the name is not exported.
func (w *World) Taken(structName, name string) (why string) {
	path := w.pkg.PkgPath
	if w.anyBuild("member "+structName+"."+name, func(m *reach.Module) bool { return m.HasMember(path, structName, name) }) {
		return structName + " has a " + name
	}
	if why := w.mentioned(name); why != "" {
		return why
	}
	where := w.somewhere("promotes "+structName, func(m *reach.Module) string { return m.Promotes(path, structName) })
	if where == "" && len(w.unseen) == 0 { // an unseen file may embed it under another name
		return ""
	}
	return w.stands(name)
}

// Declared reports whether the package cannot declare a name, because a file of some build
// declares it at package level, or uses it for an imported package.
func (w *World) Declared(name string) bool {
	return w.anyBuild("name "+name, func(m *reach.Module) bool { return m.HasName(w.pkg.PkgPath, name) }) || w.mentioned(name) != ""
}

// Constraint returns the build constraint for a new file that must be part of each build that
// contains at least one other file of the package. Files that the predicate except accepts are
// ignored. It returns "" if every build contains such a file, so that no constraint is needed.
func (w *World) Constraint(except func(name string) bool) string {
	return w.set.Constraint(w.pkg.PkgPath, except)
}

// Lacks returns the reason that a build may include the first file of the package, but not the
// second. The reason is the build constraint of the second file, or a list of files from which the
// package is built. Lacks returns "" if every build with the first file includes the second.
func (w *World) Lacks(file, other string) (why string) {
	name := filepath.Base(other)
	need, known := w.set.ConstraintOf(w.pkg.PkgPath, other)
	if has, _ := w.set.ConstraintOf(w.pkg.PkgPath, file); !known || need != "" && need != has {
		return fmt.Sprintf("%s is only in builds with %s", name, cmp.Or(need, "an unknown constraint"))
	}
	return w.NewFile(other)
}

// NewFile returns the reason that the package cannot get a new file with the given name, or "" if
// it can.
func (w *World) NewFile(name string) (why string) {
	why, named := w.set.BuiltByFiles(w.pkg.PkgPath, w.pkg.Name)
	for _, file := range slices.Sorted(maps.Keys(named)) {
		why = cmp.Or(why, named[file])
	}
	if why != "" {
		return why
	}
	by, err := DataOf(name)
	switch {
	case err != nil:
		return err.Error()
	case by != "":
		return w.set.Short(by) + " embeds it (go:embed)"
	}
	return ""
}

// stands describes the first occurrence of a name in the package's files, in any build. It returns
// "" if no file contains the name.
func (w *World) stands(name string) (where string) {
	for _, file := range w.set.FilesOf(w.pkg.PkgPath) {
		all, err := builds.Mentions(file, name)
		switch {
		case err != nil:
			return fmt.Sprintf("%s cannot be read: %v", filepath.Base(file), err)
		case len(all) > 0:
			return fmt.Sprintf("%s:%d has the name %s", filepath.Base(file), all[0].Line, name)
		}
	}
	return ""
}

// anyBuild reports whether the predicate returns true for at least one build. It caches the answer
// under the question.
func (w *World) anyBuild(question string, ask func(*reach.Module) bool) bool {
	return w.somewhere(question, func(m *reach.Module) string {
		if ask(m) {
			return question
		}
		return ""
	}) != ""
}

// StructName returns the name of an owner's type, without a pointer and type arguments.
func StructName(o site.Owner) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(o.Type, "*"), "[")
	return name
}
