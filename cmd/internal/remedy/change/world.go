package change

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/builds"
	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach"
)

// A World contains the facts that makers need about the code that can reach a package's
// declarations. This is all such code of the module, in the current build and in builds of the
// files that the current build excludes. Makers need these facts because a package alone never
// shows that an edit is safe: a test, a different package or a build for a different system may use
// the same struct.
type World struct {
	pkg     *packages.Package
	present *reach.Module
	builds  map[string]*reach.Module // modules in other builds, by build settings
	order   []string
	set     *builds.Set
	others  []build           // the package in other builds
	unseen  []*builds.File    // files of the package that are in no inspected build
	dark    []string          // like unseen, but of all packages in programs with this one, if the files may run
	unknown string            // reason that the code of a build is unknown
	places  map[string]string // cached answers of the methods somewhere and everywhere

	// Makes returns the reason that an expression of a generated file is left unchanged, or "" if
	// the generator reproduces the file with the edit. The function is nil if no generator runs.
	Makes func(from, to token.Position) (why string)
}

// Look loads the code that can reach a package, and returns the facts about that code. dir is a
// folder of the package's module. If env is nil, Look uses the environment of the process.
func Look(ctx context.Context, dir string, env []string, pkg *packages.Package) (*World, error) {
	set, err := builds.Of(ctx, dir, env, pkg.PkgPath)
	if err != nil {
		return nil, err
	}
	present, err := reach.Load(ctx, dir, env, pkg.PkgPath, set.Unlisted)
	if err != nil {
		return nil, err
	}
	return look(ctx, pkg, set, present)
}

// LookFrom is like Look, but for a current build that is already loaded, and for a module in which
// the go command lists all Go files.
func LookFrom(ctx context.Context, dir string, env []string, pkg *packages.Package, present *reach.Module) (*World, error) {
	set, err := builds.Of(ctx, dir, env, pkg.PkgPath)
	if err != nil {
		return nil, err
	}
	return look(ctx, pkg, set, present)
}

// look implements Look and LookFrom. It inspects the builds other than the current one.
func look(ctx context.Context, pkg *packages.Package, set *builds.Set, present *reach.Module) (*World, error) {
	w := &World{pkg: pkg, present: present, builds: map[string]*reach.Module{}, set: set, dark: slices.Concat(set.Unlisted.Dark, present.Dark())}
	if w.set.HasWords() || w.present.Borrows(builds.HasWords) {
		if err := w.set.AddOtherWords(ctx); err != nil {
			return nil, err
		}
	}
	judged := map[*builds.File]bool{}
	for _, c := range w.set.Configs {
		m, loaded, err := w.build(ctx, c)
		if err != nil {
			return nil, err
		}
		if p := plain(loaded, pkg.PkgPath); p != nil {
			w.others = append(w.others, build{c.String(), p})
		}
		if m != nil {
			w.builds[c.String()] = m
			w.order = append(w.order, c.String())
		}
		for _, f := range w.set.Left {
			if is, known := judged[f]; w.set.Takes(c, f) && (is || !known) {
				judged[f] = m != nil && m.Sees(f.Name)
			}
		}
	}
	unchecked, err := w.set.Unchecked(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range w.set.Left {
		if judged[f] && !slices.Contains(unchecked, f) {
			continue
		}
		if f.Changes && (f.Syntax == nil || strings.TrimSuffix(f.Syntax.Name.Name, "_test") == pkg.Name) {
			w.unseen = append(w.unseen, f)
		}
		if f.Built() && !namesTools(f.Syntax) {
			w.dark = append(w.dark, f.Name)
		}
	}
	return w, nil
}

// Generated returns the reason that an expression of a generated file is left unchanged, or "" if
// it can be changed.
func (w *World) Generated(from, to token.Position) (why string) {
	if w.Makes == nil {
		return "the code is generated"
	}
	return w.Makes(from, to)
}

// Remarks returns the compiler's messages about the package's values in the current build.
func (w *World) Remarks(ctx context.Context) ([]escapes.Remark, error) {
	return w.set.Remarks(ctx, w.pkg.PkgPath)
}

// namesTools reports whether the only purpose of a file is to keep tools in go.mod. Such a file
// contains only blank imports, so it does nothing with the module's values.
func namesTools(file *ast.File) bool {
	return file != nil && len(file.Imports) > 0 && !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return !ok || g.Tok != token.IMPORT || slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			name := s.(*ast.ImportSpec).Name
			return name == nil || name.Name != "_"
		})
	})
}

// build loads and analyzes a build. Errors in packages that do not import the changed package are
// ignored. If there is any other error, m is nil, and only the names in the files of the build are
// checked.
func (w *World) build(ctx context.Context, c builds.Config) (m *reach.Module, loaded []*packages.Package, err error) {
	core := w.set.Core()
	for _, set := range slices.Compact([]*builds.Set{w.set, core}) {
		loaded, err = set.Load(ctx, c)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err != nil { // the files of the build then become part of w.unseen
			return nil, nil, nil
		}
		cgo := w.cgo(loaded)
		m = reach.Of(w.set.Fset, loaded)
		m.Add(loaded)
		why, odd := m.Broken()
		switch {
		case why == "" && cgo == "":
			return m, loaded, nil
		case set == core && cgo != "":
			w.unknown = fmt.Sprintf("in the build with %s, %s uses cgo, and what it does is unknown", c, cgo)
		case set == core && odd:
			w.unknown = fmt.Sprintf("in the build with %s, %s", c, why)
		}
	}
	return nil, loaded, nil
}

// cgo returns the name of the first file that imports "C", or "" if there is none. The types of
// such a file are known only in the current build.
func (w *World) cgo(loaded []*packages.Package) (name string) {
	for _, p := range loaded {
		for _, file := range p.Syntax {
			for _, spec := range file.Imports {
				if spec.Path.Value == `"C"` {
					return w.set.Short(w.set.Fset.PositionFor(file.FileStart, false).Filename)
				}
			}
		}
	}
	return ""
}

// Confined describes how other code can reach the values of a struct, in any build. It returns ""
// if no other code can.
func (w *World) Confined(pkgPath, name string) (why string) {
	return w.ofStruct(pkgPath, name, (*reach.Module).Confined)
}

// Visible describes how code may observe, in any build, that a struct has an additional field. It
// returns "" if no code can.
func (w *World) Visible(pkgPath, name string) (why string) {
	return w.ofStruct(pkgPath, name, (*reach.Module).Visible)
}

// ofStruct calls a function for a struct in each build, and searches for the struct's name in the
// files that no build includes. It returns the first reason, or "" if there is none.
func (w *World) ofStruct(pkgPath, name string, ask func(m *reach.Module, pkgPath, name string) (why string)) (why string) {
	if w.unknown != "" {
		return w.unknown
	}
	if why := ask(w.present, pkgPath, name); why != "" {
		return why
	}
	for _, build := range w.order {
		if why := ask(w.builds[build], pkgPath, name); why != "" {
			return fmt.Sprintf("in the build with %s, %s", build, why)
		}
	}
	if why := w.mentioned(name); why != "" || !slices.ContainsFunc(w.unseen, (*builds.File).Built) {
		return why
	}
	names := w.present.Names(pkgPath, name)
	for _, build := range w.order {
		names = append(names, w.builds[build].Names(pkgPath, name)...)
	}
	return w.mentions((*builds.File).Built, names...)
}

// mentioned describes the first position at which a name occurs in a file that no inspected build
// includes. It returns "" if there is none.
func (w *World) mentioned(name string) (why string) {
	return w.mentions(func(*builds.File) bool { return true }, name)
}

// mentions describes the first position at which one of the given names occurs in a file that no
// inspected build includes. Files that the predicate rejects are ignored. It returns "" if there is
// none.
func (w *World) mentions(some func(*builds.File) bool, names ...string) (why string) {
	for _, f := range w.unseen {
		if !some(f) {
			continue
		}
		all, err := builds.Mentions(f.Name, names...)
		switch {
		case err != nil:
			return fmt.Sprintf("%s cannot be read, and may use %s: %v", filepath.Base(f.Name), names[0], err)
		case len(all) > 0:
			return fmt.Sprintf("%s:%d has the name %s, but no build that could be inspected has that file", filepath.Base(f.Name), all[0].Line, all[0].Name)
		}
	}
	return ""
}

// NotNil reports whether, in all builds, a parameter is never nil between two positions.
func (w *World) NotNil(parameter, from, to token.Position) bool {
	if !w.present.NotNil(parameter, from, to) {
		return false
	}
	for _, m := range w.builds {
		if m.Has(parameter) && !m.NotNil(parameter, from, to) {
			return false
		}
	}
	return true
}

// Always reports whether, in every build, each value of an interface type of the package contains a
// non-nil pointer to a given struct of the package.
func (w *World) Always(pkgPath, name, owner string) bool {
	return w.ofStruct(pkgPath, name, func(m *reach.Module, pkgPath, name string) (why string) {
		if !m.Always(pkgPath, name, owner) {
			return "another value"
		}
		return ""
	}) == ""
}

// Captured describes how other code could reach an owner, in any build, if a function literal
// captured the owner from a parameter of an enclosing function. It returns "" if no other code
// could.
func (w *World) Captured(parameter, at token.Position) (why string) {
	if why := w.present.Captured(parameter, at); why != "" {
		return why
	}
	for _, build := range w.order {
		if why := w.builds[build].Captured(parameter, at); why != "" {
			return fmt.Sprintf("in the build with %s, %s", build, why)
		}
	}
	return ""
}

// Pinned describes a use of values of a type, in some build, that requires each value to be
// allocated separately. It returns "" if there is none.
func (w *World) Pinned(t types.Type) (why string) {
	return w.pinned(func(m *reach.Module) string { return m.Pinned(t) })
}

// PinnedItself is like Pinned, but ignores the values that are reachable from values of the type.
func (w *World) PinnedItself(t types.Type) (why string) {
	return w.pinned(func(m *reach.Module) string { return m.PinnedItself(t) })
}

// pinned implements Pinned and PinnedItself. Its argument finds the use in one build.
func (w *World) pinned(ask func(*reach.Module) string) (why string) {
	if w.unknown != "" {
		return w.unknown
	}
	if why := ask(w.present); why != "" {
		return why
	}
	for _, build := range w.order {
		if why := ask(w.builds[build]); why != "" {
			return fmt.Sprintf("in the build with %s, %s", build, why)
		}
	}
	return w.mayPin()
}

// mayPin describes a file that no build includes and that may require values to be allocated
// separately, either by its own code or because it passes them to other code of the module. It
// returns "" if there is none.
func (w *World) mayPin() (why string) {
	if len(w.dark) == 0 {
		return ""
	}
	for _, f := range w.dark {
		if path := imports(f, func(path string) bool { return !goroot.Has(path) && !w.set.IsOwn(path) }); path != "" {
			return fmt.Sprintf("%s imports %s, which may set a finalizer, but no build that could be inspected has that file", w.set.Short(f), path)
		}
	}
	where := w.everywhere("pins", func(file string) string {
		if path := imports(file, func(path string) bool { return path == "unsafe" || path == "weak" }); path != "" {
			return w.set.Short(file) + " imports " + path
		}
		if at := reach.Pinning(file); at != "" {
			return at + " sets a finalizer or a cleanup, or has 64-bit atomic operations"
		}
		return ""
	})
	if where == "" {
		return ""
	}
	return fmt.Sprintf("%s, and %s, which is in no build that could be inspected, may pass values there", where, w.set.Short(w.dark[0]))
}

// Linked describes the first position at which a function is called by its linker name, or at which
// a file that no inspected build includes mentions the function's name. It returns "" if there is
// none.
func (w *World) Linked(pkgPath, function string) (where string) {
	if where := w.present.Linked(pkgPath, function); where != "" {
		return where
	}
	return w.mentioned(function)
}

// Rooms returns the expressions through which code in some build may observe the capacity of slices
// of type t that the package creates.
func (w *World) Rooms(t types.Type) (all []reach.Room) {
	all = w.present.Rooms(w.pkg.PkgPath, t)
	for _, build := range w.order {
		all = append(all[:len(all):len(all)], w.builds[build].Rooms(w.pkg.PkgPath, t)...)
	}
	for _, f := range w.dark { // the file may also pass a list to code that appends to it
		if !strings.HasSuffix(f, "_test.go") {
			all = append(all[:len(all):len(all)], reach.UnknownRoom(w.set.Short(f)+", which is in no build that could be inspected"))
		}
	}
	return all
}

// somewhere calls the function ask for each build until one answer is not empty. It returns that
// answer, or "" if there is none, and caches it under the question.
func (w *World) somewhere(question string, ask func(*reach.Module) string) (where string) {
	where, known := w.places[question]
	if known {
		return where
	}
	where = ask(w.present)
	for _, build := range w.order {
		if where == "" {
			where = ask(w.builds[build])
		}
	}
	w.remember(question, where)
	return where
}

func (w *World) remember(question, answer string) {
	if w.places == nil {
		w.places = map[string]string{}
	}
	w.places[question] = answer
}

// Watched returns a position, in any build, at which code may inspect the functions on the stack or
// the way in which a function is called, or "" if there is none.
func (w *World) Watched() (where string) { return w.somewhere("watched", (*reach.Module).Watched) }

// Check checks new contents of files. It returns a Refused error if they break a build that
// compiled before, change the order in which packages are initialized, or need other files than
// before, or if the module embeds one of the files. unused contains the imports to be removed if
// nothing uses them any more.
func (w *World) Check(ctx context.Context, files map[string][]byte, unused map[string][]string) error {
	err := w.CheckButOrder(ctx, files, unused)
	var reordered *builds.Reordered
	if errors.As(err, &reordered) {
		return Refused{reordered.Error()}
	}
	return err
}

// CheckButOrder is like Check, but reports a changed order of package initialization as a
// *builds.Reordered.
func (w *World) CheckButOrder(ctx context.Context, files map[string][]byte, unused map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		by, err := DataOf(name)
		switch {
		case err != nil:
			return err
		case by != "":
			return Refusef("%s embeds %s (go:embed), and would see the change", w.set.Short(by), filepath.Base(name))
		}
	}
	if err := w.checkFileLists(files); err != nil {
		return err
	}
	broken, err := w.Breaks(ctx, files, unused)
	if broken != nil {
		return Refused{broken.Error()}
	}
	return err
}

// Breaks returns the code that compiled before, but does not compile with the new contents of
// files. It returns nil if there is none.
func (w *World) Breaks(ctx context.Context, files map[string][]byte, unused map[string][]string) (*builds.Broken, error) {
	_, err := w.set.Check(ctx, files, unused)
	var broken *builds.Broken
	if errors.As(err, &broken) {
		return broken, nil
	}
	return nil, err
}
