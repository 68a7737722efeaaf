package facts

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

// mode omits dependencies: the types of imported packages come from the compiler's export data.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedForTest

// A unit is one loaded package, either with or without its tests.
type unit struct {
	*packages.Package
	escapes    map[line][]escapes.Escape // keyed by the line in the compiler's message
	brief      bool                      // whether the escapes lack their flow
	root       inspector.Cursor
	functions  []*function  // nil before the survey
	candidates []*candidate // in source order
	lines      map[line][]*candidate
	directed   map[int][]*candidate    // in source order, by the line after //line directives
	known      map[types.Object]string // see slicegrowth
	against    map[*types.TypeName]site.Owner
	zeros      map[*types.Var]bool         // see neverSet
	uses       map[*types.Func][]*function // see usesOf
	reaches    map[*function]map[string]distant

	divided func(part, of *site.Site) // called for each site that is split off another site; nil if none may be divided
	was     map[*site.Site]site.Facts // facts of sites from an earlier analysis
}

// A loading holds the loaded packages and the compiler's messages about them.
type loading struct {
	units   []*unit
	garbled map[string]int // number of explanations that cannot be read, by package
}

// A request asks for one package, by its import path or by a pattern of the go command.
type request struct {
	pattern string
	tests   bool
	large   bool
}

// InTest reports whether a file is a test file.
func InTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// requests returns the packages that must be loaded for the given sites.
func requests(o Options, sites []*site.Site) []request {
	tests, much := map[string]bool{}, map[string]bool{}
	add := func(path string, s *site.Site, test bool) {
		_, known := tests[path]
		tests[path], much[path] = tests[path] || test, much[path] || !known && escapes.Large(s.File)
	}
	for _, s := range sites {
		switch path := s.Package; path {
		case "": // a frame without a package: assembly, or no symbols
		case "main":
			patterns := o.Patterns
			if len(patterns) == 0 {
				patterns = []string{"."}
			}
			for _, p := range patterns {
				add(p, s, o.Tests)
			}
		default:
			external, cut := strings.CutSuffix(path, "_test")
			if cut && InTest(s.File) {
				path = external
			}
			add(path, s, o.Tests || InTest(s.File))
		}
	}
	var all []request
	for _, path := range slices.Sorted(maps.Keys(tests)) {
		all = append(all, request{path, tests[path], much[path]})
	}
	return all
}

// load loads the packages that contain sites. The compiler writes its explanations to subfolders of
// temp.
func load(ctx context.Context, o Options, temp string, sites []*site.Site) (*loading, error) {
	env, err := environment(ctx, o)
	if err != nil {
		return nil, err
	}
	l := &loading{garbled: map[string]int{}}
	all := requests(o, sites)
	for _, tests := range []bool{false, true} {
		if err := l.load(ctx, o, temp, env, all, tests); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if err := escapes.Read(filepath.Join(temp, strconv.Itoa(i)), l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// load loads either the requests with tests or the requests without tests, using a single call to
// the go command.
func (l *loading) load(ctx context.Context, o Options, temp string, env []string, all []request, tests bool) error {
	config := &packages.Config{Context: ctx, Mode: mode, Dir: o.Dir, Env: env, Tests: tests, BuildFlags: slices.Clone(o.Flags)}
	var patterns, big []string
	bigFlags := slices.Clone(o.Flags)
	for i, r := range all {
		if r.tests != tests {
			continue
		}
		flag := fmt.Sprintf("-gcflags=%s='-json=0,%s'", r.pattern, filepath.Join(temp, strconv.Itoa(i)))
		if r.large {
			flag = fmt.Sprintf("-gcflags=%s=-m=1 -L", r.pattern)
			bigFlags, big = append(bigFlags, flag), append(big, r.pattern)
		}
		config.BuildFlags = append(config.BuildFlags, flag)
		patterns = append(patterns, r.pattern)
	}
	if len(patterns) == 0 {
		return nil
	}
	var brief map[string][]escapes.Spoken
	if len(big) > 0 {
		var err error
		if brief, err = escapes.Ask(ctx, o.Dir, env, bigFlags, big, tests); err != nil {
			return err
		}
	}
	loaded, err := packages.Load(config, patterns...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("the source of the sites cannot be loaded: %s", oneLine(commandOutput(err.Error())))
	}
	for _, p := range loaded {
		if testmain.Is(p) {
			continue
		}
		u := &unit{Package: p}
		for _, e := range brief[p.PkgPath] {
			u.brief = true
			u.explained(e.File, e.Escape)
		}
		l.units = append(l.units, u)
	}
	return nil
}

// commandOutput extracts the go command's output from an error message, omitting the command line
// that precedes it.
func commandOutput(text string) string {
	if _, after, ok := strings.Cut(text, "stderr: "); ok {
		return after
	}
	return text
}

// environment returns the environment for the go command. The package loader runs the go command in
// PATH, so the environment must make that command use the Go version that built the program.
func environment(ctx context.Context, o Options) ([]string, error) {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	versions := map[string]string{"go": ""}
	if o.Go != "" {
		versions[o.Go] = ""
	}
	for command := range versions {
		v, err := goVersion(ctx, command, o.Dir, env)
		if err != nil {
			return nil, err
		}
		versions[command] = v
	}
	if wanted, _, _ := strings.Cut(versions[o.Go], " "); o.Go != "" && versions[o.Go] != versions["go"] {
		env = append(slices.Clone(env), "GOTOOLCHAIN="+wanted)
	}
	return env, nil
}

// goVersion returns the version of Go that a go command uses in a given folder.
func goVersion(ctx context.Context, command, dir string, env []string) (string, error) {
	cmd := exec.CommandContext(ctx, command, "env", "GOVERSION")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s command not found; install Go, or set PATH", command)
	case errors.As(err, &failed):
		return "", fmt.Errorf("%s env: %s", command, oneLine(string(failed.Stderr)))
	case err != nil:
		return "", fmt.Errorf("%s env: %w", command, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// unit returns the unit that contains a site, or the reason that it was not found.
func (l *loading) unit(s *site.Site) (u *unit, why string) {
	if s.Package == "" {
		return nil, "the profile names no Go function at " + filepath.Base(s.File)
	}
	var broken *unit
	var found []*unit // programs may have files of the same name
	for _, u := range l.units {
		switch {
		case !u.denotes(s.Package):
			continue
		case u.broken():
			broken = u
			continue
		case u.has(s.File):
			found = append(found, u)
			continue
		case s.Package == "main":
			continue
		}
		why = fmt.Sprintf("%s has no file %s; check out the source that the program was built from", s.Package, filepath.Base(s.File))
	}
	switch {
	case len(found) > 0:
		return among(found, s.File)
	case why != "":
		return nil, why
	case broken != nil:
		return nil, broken.trouble()
	case s.Package == "main":
		return nil, fmt.Sprintf("no package main here has a file %s; name the program's package", filepath.Base(s.File))
	}
	return nil, "no package " + s.Package + " here"
}

// among chooses the unit that contains file if several packages main have a file with this base
// name. Profiles do not contain the import paths of packages main, except in file names if the
// program was built with -trimpath. If all units are variants of one package, the first is
// returned.
func among(found []*unit, file string) (u *unit, why string) {
	for _, u := range found {
		for _, f := range u.Syntax {
			name := u.Fset.File(f.FileStart).Name()
			if name == file || u.PkgPath+"/"+filepath.Base(name) == filepath.ToSlash(file) {
				return u, ""
			}
		}
	}
	if other := slices.IndexFunc(found, func(u *unit) bool { return u.PkgPath != found[0].PkgPath }); other > 0 {
		return nil, fmt.Sprintf("%s and %s both have a file %s; name the program's package", found[0].PkgPath, found[other].PkgPath, filepath.Base(file))
	}
	return found[0], ""
}

// denotes reports whether path, as it occurs in a profile, denotes the unit's package.
func (u *unit) denotes(path string) bool {
	return u.PkgPath == path || path == "main" && u.Name == "main"
}

func (u *unit) broken() bool { return len(u.Errors) > 0 || u.IllTyped || len(u.Syntax) == 0 }

// trouble describes why the unit's package could not be loaded.
func (u *unit) trouble() string {
	if len(u.Errors) == 0 {
		return u.PkgPath + " has no Go files here"
	}
	e := u.Errors[0]
	for _, other := range u.Errors {
		if other.Kind != packages.ListError { // a list error only repeats that it does not compile
			e = other
			break
		}
	}
	if strings.Contains(e.Msg, "requires newer Go version") || strings.Contains(e.Msg, "internal error in importing") {
		return fmt.Sprintf("this coppice was built with %s and cannot read %s, which %s", runtime.Version(), u.PkgPath, tooNew(u.Package, runtime.Version()))
	}
	text := oneLine(e.Msg)
	if at, rest, ok := strings.Cut(e.Pos, ":"); ok && at != "" {
		text = filepath.Base(at) + ":" + rest + ": " + text
	}
	if e.Kind == packages.ListError {
		return u.PkgPath + " cannot be loaded: " + text
	}
	return u.PkgPath + " does not compile: " + text
}

// has reports whether the unit has a file with the given base name, which may come from a //line
// directive.
func (u *unit) has(name string) bool {
	base := filepath.Base(name)
	for _, f := range u.Syntax {
		of := u.Fset.File(f.FileStart)
		if filepath.Base(of.Name()) == base || filepath.Base(u.Fset.Position(f.Package).Filename) == base {
			return true
		}
	}
	if u.broken() {
		return false
	}
	u.survey()
	return slices.ContainsFunc(u.functions, func(f *function) bool { return f.from.file == base || f.to.file == base }) ||
		slices.ContainsFunc(u.candidates, func(c *candidate) bool { return c.shown.file == base })
}
