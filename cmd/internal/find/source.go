package find

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find/fleet"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A source is the source code of the profiled program: the modules to which a folder belongs. The
// zero value has no modules.
type source struct {
	dir     string
	modules []module // the modules of a workspace, or a single module
	tree    *fleet.Tree
	mains   []mainPackage // main packages, listed on first use
}

type module struct{ path, dir string }

// A mainPackage is a main package of the source.
type mainPackage struct {
	path, dir string
	files     []string
}

// openSource returns the source whose modules include the one that contains dir. If dir is empty,
// it returns a source without modules.
func openSource(ctx context.Context, dir string) (*source, error) {
	s := &source{dir: dir}
	if dir == "" {
		return s, nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such folder; name the module that was profiled with -C", dir)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file; name the folder of the module that was profiled with -C", dir)
	}
	out, err := s.list(ctx, "-m", "-f", "{{if .Main}}{{.Path}}\t{{.Dir}}{{end}}")
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for line := range strings.Lines(out) {
		if name, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && folder != "" {
			s.modules = append(s.modules, module{name, folder})
		}
	}
	if err != nil || len(s.modules) == 0 {
		return nil, fmt.Errorf("%s: not a Go module that the go command can list; name the module that was profiled with -C", dir)
	}
	s.tree, err = fleet.NewTree(s.moduleOf(dir).dir)
	return s, err
}

// InModule reports whether a folder belongs to a module.
func InModule(ctx context.Context, dir string) bool {
	s, err := openSource(ctx, dir)
	return err == nil && len(s.modules) > 0
}

// moduleOf returns the module that contains dir or, if none does, the first module.
func (s *source) moduleOf(dir string) module {
	best, found := s.modules[0], false
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, m := range s.modules {
		of, err := filepath.Rel(m.dir, dir)
		if err == nil && filepath.IsLocal(of) && (!found || len(m.dir) > len(best.dir)) {
			best, found = m, true
		}
	}
	return best
}

// list runs go list in the folder of the source.
func (s *source) list(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	return string(out), err
}

// owns reports whether the package with the given import path belongs to a module of the source.
func (s *source) owns(importPath string) bool {
	return slices.ContainsFunc(s.modules, func(m module) bool { return profiles.OfModule(importPath, m.path) })
}

// leastPart is the smallest share of malloc's time, of objects or of bytes that makes an analysis
// worthwhile. A package is analyzed only if one of its sites reaches this share. Below it, no rule
// proposes a change.
const leastPart = 0.005

// worthReading returns the sites whose source is worth reading, and the other sites, in which it
// records why their source is not read. Sites in test files are never changed, and reading their
// source would require compiling the package again.
func worthReading(sites []*site.Site) (look, leave []*site.Site) {
	cost := func(s *site.Site) float64 { return max(s.Malloc, s.ObjectsPart, s.BytesPart) }
	costs := map[string]bool{}
	for _, s := range sites {
		costs[s.Package] = costs[s.Package] || cost(s) >= leastPart
	}
	for _, s := range sites {
		switch {
		case !costs[s.Package]:
			leave = append(leave, unread(s, "its package costs little, so it was not read"))
		case facts.InTest(s.File) && cost(s) < leastPart:
			leave = append(leave, unread(s, "it costs little and is in a test file, so it was not read"))
		default:
			look = append(look, s)
		}
	}
	return look, leave
}

// unread records that a site's source was not read.
func unread(s *site.Site, why string) *site.Site {
	s.Facts = site.Facts{Kind: site.Other, Length: -1, Test: facts.InTest(s.File), NoSource: why}
	return s
}

// fill sets the facts of the sites, if their packages cost enough.
func (s *source) fill(ctx context.Context, r *Result) error {
	look, leave := worthReading(r.Sites)
	if len(s.modules) == 0 {
		leave = leave[:0]
		for _, at := range r.Sites {
			leave = append(leave, unread(at, "its place is unknown: name the folder of the module with -C"))
		}
	}
	facts.Name(leave)
	if len(s.modules) == 0 {
		r.warn("without the source, types and remedies are unknown; name the folder of the module with -C")
		return nil
	}
	options := facts.Options{Dir: s.dir}
	for _, at := range look {
		s.relocate(ctx, r, at)
		if m := s.mainOf(ctx, at); m != nil && !slices.Contains(options.Patterns, m.path) {
			options.Patterns = append(options.Patterns, m.path)
		}
	}
	warnings, err := facts.Fill(ctx, options, look)
	r.Warnings = append(r.Warnings, warnings...)
	return err
}

// mainOf returns the main package to which a site belongs. Among the main packages that have a file
// with the site's file name, it selects the one whose path has the longest suffix in common with
// the site's path. It returns nil for sites in other packages, and if no main package has such a
// file.
func (s *source) mainOf(ctx context.Context, at *site.Site) (best *mainPackage) {
	if at.Package != "main" || len(s.modules) == 0 {
		return nil
	}
	if s.mains == nil {
		s.mains = []mainPackage{}
		out, _ := s.list(ctx, "-e", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{"\t"}}{{.Dir}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}{{end}}`, "./...")
		for line := range strings.Lines(out) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 2 {
				s.mains = append(s.mains, mainPackage{f[0], f[1], f[2:]})
			}
		}
	}
	file := filepath.ToSlash(at.File)
	most := -1
	for i, m := range s.mains {
		if !slices.Contains(m.files, path.Base(file)) {
			continue
		}
		if n := common(filepath.ToSlash(filepath.Join(m.dir, path.Base(file))), file); n > most {
			best, most = &s.mains[i], n
		}
	}
	return best
}

// relocate replaces the file name of a site by the name of that file on this machine. The names
// differ if the program was built on another machine, or with -trimpath.
func (s *source) relocate(ctx context.Context, r *Result, at *site.Site) {
	dir := ""
	if m := s.mainOf(ctx, at); m != nil {
		dir = m.dir
	} else if s.owns(at.Package) {
		dir = s.folder(r, at.Package)
	}
	if dir == "" {
		return
	}
	file := filepath.Join(dir, path.Base(filepath.ToSlash(at.File)))
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		at.File = file
	}
}

// common returns the number of path elements in the longest common suffix of two paths.
func common(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// next sets the command to run next, which runs the benchmarks of the user's most expensive
// package. If the package has no benchmarks, next sets no command, and adds a warning that states
// what to do.
func (s *source) next(r *Result, from string) {
	most := r.owner(func(p string) bool { return s.owns(p) || p == "main" && s.mains != nil })
	dir := s.folder(r, most)
	if r.Target.Package = most; most == "main" {
		r.Target.Package = ""
	}
	if dir == "" {
		return
	}
	r.Target.Dir = s.dir
	if !benchmarks(dir) {
		s.lacks(r, from, dir)
		return
	}
	r.Target.Next = "-bench . " + packageArgument(s.dir, dir)
	r.Target.Then = s.run(from, dir)
}

// nextOf returns the command to run next for a proposal. It runs the benchmarks of the proposal's
// package or, if the package has none, the benchmarks that next found. If there are none either,
// nextOf returns "" and adds a warning that states what to do.
func (s *source) nextOf(r *Result, p *Proposal, from string) string {
	dir := s.folder(r, r.packageOf(p))
	switch {
	case dir != "" && benchmarks(dir):
		return s.run(from, dir)
	case dir != "" && r.Target.Then == "":
		s.lacks(r, from, dir)
	}
	return r.Target.Then
}

// lacks warns, once for each folder, that a package has no benchmark. The package needs one because
// coppice fix measures only benchmarks, and neither tests nor the program itself.
func (s *source) lacks(r *Result, from, dir string) {
	text := fmt.Sprintf("no benchmark found in package %s: write one of the program's main work, then run %s to measure it", packageArgument(s.dir, dir), s.run(from, dir))
	if !slices.Contains(r.Warnings, text) {
		r.warn("%s", text)
	}
}

// folder returns the folder of one of the user's packages, or "" if it is unknown.
func (s *source) folder(r *Result, importPath string) string {
	if importPath == "main" {
		for _, at := range r.Sites {
			if m := s.mainOf(context.Background(), at); m != nil {
				return m.dir
			}
		}
		return ""
	}
	for _, m := range s.modules {
		if below, ok := strings.CutPrefix(importPath+"/", m.path+"/"); ok {
			if dir := filepath.Join(m.dir, filepath.FromSlash(below)); isFolder(dir) {
				return dir
			}
		}
	}
	return ""
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// run returns the command that analyzes the benchmarks in a folder.
func (s *source) run(from, dir string) string {
	command := "coppice find -bench . " + packageArgument(s.dir, dir)
	if real, err := filepath.EvalSymlinks(from); s.dir != from && (err != nil || s.dir != real) {
		command = "cd " + quoted(s.dir) + " && " + command
	}
	return command
}

var unquoted = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted quotes a word for the shell, if necessary.
func quoted(word string) string {
	if unquoted.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
