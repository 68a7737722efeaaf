package traps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/reach"
	"github.com/coppice-go/coppice/cmd/internal/remedy/arena"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A plan contains the changes that coppice fix makes to a trap.
type plan struct {
	*trap
	done, left []string
	after      map[string][]byte // the files after all edits; nil if there are none
	err        error             // the trap is invalid, or coppice fix fails
}

// makePlans loads all traps, and plans their changes.
func makePlans(folder string, traps []*trap) ([]*plan, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	if err := writeWorkspace(folder, traps); err != nil {
		return nil, err
	}
	var sites []*site.Site
	of := map[*trap][]*site.Site{}
	var patterns []string
	for _, t := range traps {
		for _, m := range t.sites() {
			s := &site.Site{ID: fmt.Sprint(len(sites)), Place: site.Place{Package: t.path(), Function: m.function, File: filepath.Join(folder, t.name, m.file), Line: m.line}, Leaf: m.leaf}
			if t.isProgram() {
				s.Package = "main"
			}
			s.Objects, s.ObjectsPart, s.BytesPart, s.Malloc = 1000, 0.1, 0.1, 0.1
			of[t] = append(of[t], s)
			sites = append(sites, s)
		}
		patterns = append(patterns, t.path()+"/...")
	}
	var programs []string
	for _, t := range traps {
		if t.isProgram() {
			programs = append(programs, t.path())
		}
	}
	if _, err := facts.Fill(context.Background(), facts.Options{Dir: folder, Patterns: programs}, sites); err != nil {
		return nil, err
	}
	for _, s := range sites { // an operation creates one owner, which allocates 1,000 values
		for i := range s.Facts.Owners {
			s.Facts.Owners[i].Instances = 1
		}
		if s.Facts.Kind == site.ToString {
			s.Facts.Values = &site.Values{Looked: 1000, Distinct: 8}
		}
		for n := s.Facts.Size; s.Facts.Kind == site.Append && n <= 8*s.Facts.Size && n > 0; n *= 2 { // slices grow to 8 elements
			s.Sizes = append(s.Sizes, site.Size{Bytes: n, Objects: 1000})
		}
	}
	fset := token.NewFileSet()
	byPath, modules, all, err := load(fset, folder, patterns)
	if err != nil {
		return nil, err
	}
	plans := make([]*plan, len(traps))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range traps {
		plans[i] = &plan{trap: t}
		group.Go(func() error {
			own := filepath.Join(folder, t.name)
			around := sync.OnceValues(func() (*change.World, error) {
				env := append(os.Environ(), "GOWORK=off")
				if t.chooses() {
					return change.Look(context.Background(), own, env, byPath[t.path()])
				}
				present := reach.Of(fset, modules[t.name])
				present.Add(all[t.name])
				return change.LookFrom(context.Background(), own, env, byPath[t.path()], present)
			})
			plans[i].make(own, byPath[t.path()], of[t], around)
			return nil
		})
	}
	return plans, group.Wait()
}

// load loads all traps at once. It returns the packages by path. By trap, it also returns the
// loaded packages with their tests, and the names of all packages.
func load(fset *token.FileSet, folder string, patterns []string) (byPath map[string]*packages.Package, modules, all map[string][]*packages.Package, err error) {
	names, err := packages.Load(&packages.Config{Mode: reach.Names, Dir: folder, Tests: true}, patterns...)
	if err != nil {
		return nil, nil, nil, err
	}
	loaded, err := packages.Load(&packages.Config{Mode: reach.Mode, Dir: folder, Tests: true, Fset: fset}, append(patterns, reach.Unlisted(names)...)...)
	if err != nil {
		return nil, nil, nil, err
	}
	byPath, modules, all = map[string]*packages.Package{}, map[string][]*packages.Package{}, map[string][]*packages.Package{}
	for _, p := range names {
		all[moduleOf(p)] = append(all[moduleOf(p)], p)
	}
	for _, p := range loaded {
		if p.ForTest == "" {
			byPath[p.PkgPath] = p
		}
		modules[moduleOf(p)] = append(modules[moduleOf(p)], p)
	}
	return byPath, modules, all, nil
}

// moduleOf returns the name of the trap that a package belongs to.
func moduleOf(p *packages.Package) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(p.PkgPath, "example.com/"), "/")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".test"), "_test")
}

// chooses reports whether a trap has files that the go command does not list, or packages besides
// the one with the sites and the check. Then it matters which packages coppice fix inspects, so
// such a trap is loaded on its own, as coppice fix does it. All other traps are loaded at once,
// because a go command for each would take most of the time.
func (t *trap) chooses() bool {
	for name, data := range t.files {
		if bytes.Contains(data, []byte("build ignore")) || bytes.Contains(data, []byte("\nignore ")) {
			return true
		}
		if folder := path.Dir(name); path.Ext(name) == ".go" && folder != "." && folder != "check" {
			return true
		}
	}
	return false
}

// isProgram reports whether the package with the sites is itself a program.
func (t *trap) isProgram() bool { return t.files[checkFile] == nil }

// writeWorkspace writes the modules of all traps, and a workspace that contains them, so that one
// go command can load them all.
func writeWorkspace(folder string, traps []*trap) error {
	work := "go 1.26.0\n\nuse (\n"
	for _, t := range traps {
		if err := write(filepath.Join(folder, t.name), t.path(), t.files); err != nil {
			return err
		}
		work += "\t./" + t.name + "\n"
	}
	return os.WriteFile(filepath.Join(folder, "go.work"), []byte(work+")\n"), 0o666)
}

// make makes the changes of all remedies for a trap. If coppice fix panics, the panic becomes the
// error of this trap, and the other traps are not affected.
func (p *plan) make(folder string, loaded *packages.Package, sites []*site.Site, around func() (*change.World, error)) {
	defer func() {
		if broken := recover(); broken != nil {
			p.err = fmt.Errorf("coppice fix panics: %v", broken)
		}
	}()
	if loaded == nil || len(loaded.Errors) > 0 {
		p.err = fmt.Errorf("the package of the sites does not load: %v", loaded)
		if loaded != nil {
			p.err = fmt.Errorf("the package of the sites does not load: %v", loaded.Errors[0])
		}
		return
	}
	var all edits.Set
	marks := p.sites()
	for _, remedy := range p.remedies() {
		r := change.Request{Package: loaded, Language: "go" + loaded.Module.GoVersion, Library: p.library(), Around: around}
		for i, m := range marks {
			if m.remedy == remedy {
				r.Sites = append(r.Sites, sites[i])
			}
		}
		made, err := p.change(remedy, r)
		var refused change.Refused
		switch {
		case errors.As(err, &refused):
			p.left = append(p.left, fmt.Sprintf("%s: %s", remedy, refused.Why))
			continue
		case err != nil:
			p.err = fmt.Errorf("%s: %w", remedy, err)
			return
		}
		both, err := joined(&all, &made.Edits)
		if err != nil { // as coppice fix does for a step
			p.left = append(p.left, fmt.Sprintf("%s: it changes the same code as another remedy: %v", remedy, err))
			continue
		}
		all = *both
		p.done, p.left = append(p.done, made.Done...), append(p.left, made.Left...)
	}
	if !all.Empty() {
		p.apply(folder, &all)
	}
}

// change makes the change of a remedy or, if the trap names a function for an arena, the change to
// an arena.
func (p *plan) change(remedy site.Remedy, r change.Request) (*change.Change, error) {
	if p.arena != "" {
		r.Make = arena.Form(context.Background(), p.arena)
		return change.Form(context.Background(), r)
	}
	return remedies.Make(context.Background(), remedy, r)
}

// joined returns the union of two sets of edits, or an error if they conflict.
func joined(a, b *edits.Set) (both *edits.Set, err error) {
	both = &edits.Set{}
	for _, set := range []*edits.Set{a, b} {
		if err := both.Add(set); err != nil {
			return nil, err
		}
	}
	_, err = both.Apply()
	return both, err
}

// apply computes the files after all edits.
func (p *plan) apply(folder string, all *edits.Set) {
	changed, err := all.Apply()
	if err != nil {
		p.err = err
		return
	}
	p.after = map[string][]byte{}
	for name, data := range p.files {
		p.after[name] = data
	}
	for name, data := range changed {
		short, err := filepath.Rel(folder, name)
		if err != nil || !filepath.IsLocal(short) {
			p.err = fmt.Errorf("a file outside of the module would change: %s", name)
			return
		}
		p.after[filepath.ToSlash(short)] = bytes.ReplaceAll(data, []byte(p.path()), []byte(modulePath))
	}
}

// missing returns the marked sites that no remedy has changed.
func (p *plan) missing() (all []string) {
	for _, m := range p.sites() {
		done := false
		for _, line := range p.done {
			done = done || strings.HasPrefix(line, m.place())
		}
		if !done {
			all = append(all, m.place()+string(m.remedy))
		}
	}
	return all
}
