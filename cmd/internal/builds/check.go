package builds

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// A Break describes a package that no longer compiles after an edit.
type Break struct {
	Config  Config
	Package string // package ID of the go command: p, or p [p.test] with its tests
	File    string // absolute path; empty if the error has no position
	Line    int
	Message string
	Others  []Place // other places with errors in the package
}

// A Place describes a compile error by its position and its message.
type Place struct {
	File    string // absolute path
	Line    int
	Message string
}

// Broken is the error that Check returns if an edit breaks packages.
type Broken struct {
	Breaks []Break // one for each package and configuration

	root string
}

// Error lists the broken packages with their errors, in one line.
func (b *Broken) Error() string {
	var all []string
	all = slices.Grow(all, len(b.Breaks))
	for _, p := range b.Breaks {
		all = append(all, p.text(b.root))
	}
	return "after the change this does not compile: " + strings.Join(all, "; ")
}

func (b Break) text(root string) string {
	where := b.Package
	if rel, err := filepath.Rel(root, b.File); err == nil && b.File != "" {
		where = fmt.Sprintf("%s:%d", filepath.ToSlash(rel), b.Line)
	}
	return fmt.Sprintf("%s: %s (%s)", where, b.Message, b.Config)
}

// An Unknown is a package that was not checked in a configuration because it did not compile there
// before the edit.
type Unknown struct {
	Config  Config
	Package string // package ID of the go command; empty for all packages
	Why     string
}

// String names the package that was not checked and the configuration, and gives the reason.
func (u Unknown) String() string {
	if u.Package == "" {
		return fmt.Sprintf("not checked with %s: %s", u.Config, u.Why)
	}
	return fmt.Sprintf("%s was not checked with %s: %s", u.Package, u.Config, u.Why)
}

// Check checks that all packages that compiled before an edit still compile after it, including
// their tests, in the present configuration and in all others. overlay maps the absolute names of
// files, including new files, to their new contents. The files must belong to packages that change.
// Packages that did not compile before the edit are returned as unknown. The error is a *Broken if
// a package breaks, and a *Reordered if packages of a program would be initialized in a different
// order. unused lists, for each file, the imports that a later edit removes if nothing uses them
// any more; it may be nil.
func (s *Set) Check(ctx context.Context, overlay map[string][]byte, unused map[string][]string) ([]Unknown, error) {
	overlay, err := rename(s, overlay)
	if err != nil {
		return nil, err
	}
	if unused, err = rename(s, unused); err != nil {
		return nil, err
	}
	broken := &Broken{root: s.module.root}
	all := s.all()
	unknown, breaks, reordered := make([][]Unknown, len(all)), make([][]Break, len(all)), make([]*Reordered, len(all))
	err = each(ctx, all, func(ctx context.Context, i int, c Config) (err error) {
		unknown[i], breaks[i], reordered[i], err = s.checkOne(ctx, c, overlay, unused)
		return err
	})
	if err != nil {
		return nil, err
	}
	if broken.Breaks = slices.Concat(breaks...); len(broken.Breaks) > 0 {
		return slices.Concat(unknown...), broken
	}
	if i := slices.IndexFunc(reordered, func(r *Reordered) bool { return r != nil }); i >= 0 {
		return slices.Concat(unknown...), reordered[i]
	}
	return slices.Concat(unknown...), nil
}

// all returns all configurations, the present one first.
func (s *Set) all() []Config { return append([]Config{s.Present}, s.Configs...) }

// each runs the function do for every configuration. It limits the number of concurrent calls,
// because each call takes memory.
func each(ctx context.Context, all []Config, do func(context.Context, int, Config) error) error {
	group, ctx := errgroup.WithContext(ctx)
	const most = 4 // limits the memory
	group.SetLimit(min(most, runtime.GOMAXPROCS(0)))
	for i, c := range all {
		group.Go(func() error { return do(ctx, i, c) })
	}
	return group.Wait()
}

// rename returns a copy of overlay, whose keys are file names. In the copy, each key is replaced
// with the name that the go command uses for the file. The two names differ if the path contains a
// symbolic link.
func rename[T any](s *Set, overlay map[string]T) (map[string]T, error) {
	folders := map[string]string{}
	for _, f := range s.look {
		if s.change[f.path] {
			folders[f.dir] = f.dir
			if real, err := filepath.EvalSymlinks(f.dir); err == nil {
				folders[real] = f.dir
			}
		}
	}
	all := map[string]T{}
	for _, name := range slices.Sorted(maps.Keys(overlay)) {
		dir := filepath.Dir(name)
		known, ok := folders[dir]
		if real, err := filepath.EvalSymlinks(dir); !ok && err == nil {
			known, ok = folders[real]
		}
		if !ok {
			return nil, fmt.Errorf("%s is not in a package that changes", name)
		}
		all[filepath.Join(known, filepath.Base(name))] = overlay[name]
	}
	return all, nil
}

// checkOne checks an edit in one configuration.
func (s *Set) checkOne(ctx context.Context, c Config, overlay map[string][]byte, unused map[string][]string) (unknown []Unknown, breaks []Break, reordered *Reordered, err error) {
	before, err := s.loadBefore(ctx, c)
	if ctx.Err() != nil {
		return nil, nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return []Unknown{{c, "", oneLine(err.Error())}}, nil, nil, nil
	}
	after, err := s.load(ctx, c, overlay, before)
	if ctx.Err() != nil {
		return nil, nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, []Break{{Config: c, Message: oneLine(err.Error())}}, nil, nil
	}
	said := map[string]bool{}
	for _, p := range after.roots {
		if old := before.byID[p.ID]; old != nil && before.broken[old] != "" {
			unknown = append(unknown, Unknown{c, p.ID, before.broken[old]})
			continue
		}
		if why, ok := after.broken[p]; ok {
			b := s.breakOf(c, p, why)
			if text := fmt.Sprint(b.File, b.Line, b.Message); !said[text] { // p and p [p.test] share files
				said[text] = true
				breaks = append(breaks, b)
			}
		}
	}
	for _, p := range before.roots {
		if after.byID[p.ID] == nil {
			breaks = append(breaks, Break{Config: c, Package: p.ID, Message: "it has no files left"})
		}
	}
	return unknown, breaks, s.reordered(c, before, after, overlay, unused), nil
}

// breakOf returns the Break for a package that no longer compiles.
func (s *Set) breakOf(c Config, p *packages.Package, why string) Break {
	b := Break{Config: c, Package: p.ID, Message: why}
	if len(p.Errors) == 0 { // an imported package does not compile
		return b
	}
	b.Message = oneLine(p.Errors[0].Msg)
	b.File, b.Line = position(p.Errors[0].Pos)
	for _, err := range p.Errors[1:] {
		if file, line := position(err.Pos); line > 0 {
			b.Others = append(b.Others, Place{file, line, oneLine(err.Msg)})
		}
	}
	return b
}

// position parses a position of the form file:line:column or file:line.
func position(pos string) (file string, line int) {
	rest, _ := cutNumber(pos)
	if file, line := cutNumber(rest); line > 0 {
		return file, line
	}
	if file, line := cutNumber(pos); line > 0 { // pos has no column
		return file, line
	}
	if pos == "-" {
		return "", 0
	}
	return pos, 0
}

// cutNumber cuts a number and the colon before it off the end of a string. If the string does not
// end with a colon and a number, cutNumber returns the string itself and 0.
func cutNumber(text string) (rest string, n int) {
	at := strings.LastIndexByte(text, ':')
	if n, err := strconv.Atoi(text[at+1:]); at > 0 && err == nil {
		return text[:at], n
	}
	return text, 0
}

// oneLine formats a package error on one line, with the short file name.
func (s *Set) oneLine(err packages.Error) string {
	file, line := position(err.Pos)
	if line == 0 {
		return oneLine(err.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", s.Short(file), line, oneLine(err.Msg))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
