// Package builds inspects a module in builds other than the current one: builds for other systems
// and processors, with cgo on or off, or with other build tags. A tool that edits Go source sees
// only the files of one build. The files that this build leaves out may copy a changed struct, call
// a changed function, declare the struct again for another system, or stop compiling.
//
//	builds.go     a configuration, and the set of them for the packages that change
//	module.go     the folders of the module: files, imports, the import graph
//	rules.go      which configuration includes which file
//	levels.go     the feature levels of processors, and the tags for them
//	cover.go      the configurations to inspect
//	load.go       the packages of a configuration, with types
//	parse.go      files that configurations share
//	check.go      whether packages that compiled before an edit compile after it
//	constraint.go the constraint of a new file
//	order.go      whether the packages of a program keep their initialization order
//	start.go      what a package does at its initialization
//	detours.go    effects between initializations of packages that do not import each other
//	byfiles.go    whether a package may be built from a list of its files
//	mentions.go   names in files that were not judged
//	words.go      constants that depend on the word size, and a build with another word size
//	unlisted.go   files that no pattern of the go command finds, or no build includes
//
// # Guarantees
//
// For each file that the current build leaves out, the Set has a configuration that includes it, if
// any build does. Such a file is also inspected together with each file of a changed package that
// the current build includes: the Set has a configuration that includes both, if any build does.
// All configurations are as close to the current build as possible, that is, they differ from it in
// few settings. A Set has at most Most configurations, fewer for a very large module (MostSource),
// and one more that AddOtherWords adds. If these do not suffice for a file, File.Why states the
// reason. The same holds for the files of all packages that share a program of the module with a
// changed package. These are the packages that import the changed package, and all packages that
// these packages import. Files of changed packages come first.
//
// For programs and tests, Check also compares the order in which their packages are
// initialized.
//
// A package is judged in a configuration if the package and all its dependencies compiled there
// before the edit. Otherwise Check reports it as unknown. Unchecked returns the files that are not
// judged in some configuration, and the files that no build includes. Mentions finds names in such
// files.
//
// # Cost
//
// A configuration is loaded from source: the go command lists the packages, and packages from
// outside the module are type-checked without function bodies. No compiler runs, the build cache
// does not grow, and cgo needs no C compiler. Loaded packages stay in memory. A package that an
// edit does not affect is not checked again. Measured on two busy cores, for golang.org/x/net:
//
//	package   configurations   first Check   later   memory
//	html                   1           3 s   0.3 s    84 MB
//	route                  9           6 s     1 s   120 MB
//	quic                   4          17 s     3 s   180 MB
//	socket                17          25 s    10 s   480 MB
//
// Loading export data instead would be slower, because the go command first compiles the standard
// library for each system: one configuration of quic took 51 s and 120 MB of build cache.
// LoadAllSyntax took 9 s for this configuration, each time; this package takes 2 to 4 s, once.
//
// # Limits
//
//   - Two files that the current build leaves out are not always inspected together. For example,
//     three tags have eight builds, but the Set may contain only three of them.
//   - Names that come from import "C" have no type here, so their misuse is not found. Assembly and
//     C are not read.
//   - Type sizes are computed only for the configurations in the Set. At most one of these has
//     32-bit words and one has 64-bit words, unless a file requires more.
//   - Packages of other modules and packages in folders named vendor are not inspected. Files that
//     ./... leaves out (testdata, names that begin with _ or a dot, folders that go.mod ignores)
//     and files that no build includes are inspected only in the present configuration.
//   - The check is limited to types. No test runs, go vet does not run, and nothing is linked.
//
// The files on disk must not change while a Set is in use.
package builds

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
)

// Most is the maximum number of configurations in a Set, apart from the current one.
const Most = 16

// MostSource is the maximum total size, in bytes, of the source of all configurations in a Set
// except the first. Type-checking one megabyte of source takes one second and about fifty megabytes
// of memory.
var MostSource int64 = 64 << 20

// A Config is a build configuration.
type Config struct {
	GOOS, GOARCH string
	Cgo          bool
	Tags         []string // all tags of -tags, sorted
	Experiments  []string // GOEXPERIMENT values in addition to the current build's: name or noname
	Level        string   // processor feature level such as GOAMD64=v2, if it differs from the environment
}

// String returns the settings of the configuration, such as GOOS=windows GOARCH=amd64 CGO_ENABLED=0
// -tags=purego.
func (c Config) String() string {
	text := strings.Join(c.variables(), " ")
	if len(c.Experiments) > 0 {
		text += " GOEXPERIMENT=" + strings.Join(c.Experiments, ",")
	}
	if len(c.Tags) > 0 {
		text += " -tags=" + strings.Join(c.Tags, ",")
	}
	return text
}

func (c Config) variables() []string {
	cgo := "CGO_ENABLED=0"
	if c.Cgo {
		cgo = "CGO_ENABLED=1"
	}
	all := []string{"GOOS=" + c.GOOS, "GOARCH=" + c.GOARCH, cgo}
	if c.Level != "" {
		all = append(all, c.Level)
	}
	return all
}

// A File is a Go file that the current build leaves out.
type File struct {
	Name    string // absolute path
	Package string // import path of its package
	Changes bool   // its package changes; if not, it is in a program with a package that changes
	Configs []Config
	Why     string    // why no configuration includes it, or why they do not suffice; otherwise empty
	Syntax  *ast.File // syntax tree, incomplete if parsing failed; nil if nothing could be parsed

	class *class
}

// A Set contains the build configurations of a module in which the packages that change must be
// inspected. Its methods may be called concurrently.
type Set struct {
	Present Config
	Configs []Config // other configurations; they include files that the current build leaves out
	Left    []*File  // files that the current build leaves out, sorted
	Fset    *token.FileSet

	// Unlisted contains the files that no pattern of the go command matches, or that no build
	// includes. Load and Check inspect them in the present configuration.
	Unlisted *Unlisted

	env    []string
	module *module
	rules  *rules
	look   []*folder       // folders to inspect
	change map[string]bool // import paths of packages that change
	core   map[string]bool // import paths of packages that change or import a package that changes
	parsed *parsed

	mu     sync.Mutex
	before map[string]*unedited // keyed by Config.String
	starts map[string]start     // package initialization, keyed by the file names of the package
}

// Core returns a Set restricted to the packages that change and the packages that import them. It
// omits the packages that only share a program with these. The declarations of the omitted packages
// are still loaded, but not their function bodies.
func (s *Set) Core() *Set {
	c := &Set{Present: s.Present, Configs: s.Configs, Fset: s.Fset, Unlisted: &Unlisted{}, env: s.env, module: s.module, rules: s.rules, change: s.change, core: s.core, parsed: s.parsed, before: map[string]*unedited{}, starts: map[string]start{}}
	for _, folder := range s.look {
		if s.core[folder.path] {
			c.look = append(c.look, folder)
		}
	}
	if len(c.look) == len(s.look) {
		return s
	}
	for _, file := range s.Left {
		if s.core[file.Package] {
			c.Left = append(c.Left, file)
		}
	}
	return c
}

// InCore reports whether a package changes, or imports a changed package directly or indirectly.
// The tests of such a package are also in the core.
func (s *Set) InCore(p *packages.Package) bool { return s.core[p.PkgPath] || s.core[p.ForTest] }

// Of returns the Set for the packages that change, which are given by their import paths. dir is a
// folder of their module. A nil env means the environment of this process.
func Of(ctx context.Context, dir string, env []string, packages ...string) (*Set, error) {
	if env == nil {
		env = os.Environ()
	}
	s := &Set{Fset: token.NewFileSet(), env: env, change: map[string]bool{}, core: map[string]bool{}, parsed: &parsed{}, before: map[string]*unedited{}, starts: map[string]start{}}
	for _, p := range packages {
		s.change[p] = true
	}
	var err error
	if s.module, err = s.findModule(ctx, dir); err != nil {
		return nil, err
	}
	for _, p := range packages {
		if s.module.folders[p] == nil {
			return nil, fmt.Errorf("module %s in %s has no package %s", s.module.path, s.module.root, p)
		}
	}
	if s.rules, err = s.findRules(ctx); err != nil {
		return nil, err
	}
	if err = s.findLevels(ctx); err != nil {
		return nil, err
	}
	s.Present = s.rules.present
	s.look = s.module.importers(s.change)
	for _, folder := range s.look {
		s.core[folder.path] = true
	}
	s.look = append(s.look, s.module.dependencies(s.core)...)
	slices.SortFunc(s.look, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	s.rules.most = s.affordable()
	s.cover()
	s.Unlisted = s.findUnlisted()
	return s, ctx.Err()
}

// affordable returns the number of configurations that can be loaded without exceeding MostSource.
// It is at least 1 and at most Most.
func (s *Set) affordable() int {
	size := int64(1)
	for _, folder := range s.look {
		for _, file := range folder.files {
			if info, err := os.Stat(file.name); err == nil { // a later step reports missing files
				size += info.Size()
			}
		}
	}
	return int(min(max(MostSource/size, 1), Most))
}

// cover finds the files that the current build leaves out, and selects configurations that include
// them.
func (s *Set) cover() {
	var beside []*class // classes of files that an edit may change
	for _, folder := range s.look {
		for _, file := range folder.files {
			switch {
			case !s.rules.takes(s.Present, file.class):
				s.Left = append(s.Left, &File{Name: file.name, Package: folder.path, Changes: s.change[folder.path], Syntax: s.parsed.parseFull(s.Fset, file.name).file, class: file.class})
			case s.change[folder.path] && !slices.Contains(beside, file.class):
				beside = append(beside, file.class)
			}
		}
	}
	slices.SortFunc(s.Left, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	var open []pair
	s.Configs, open = s.rules.cover(s.Left, beside)
	for _, file := range s.Left {
		for _, c := range s.Configs {
			if s.rules.takes(c, file.class) {
				file.Configs = append(file.Configs, c)
			}
		}
		file.Why = s.rules.explain(file.class, open)
	}
}

// environ returns the environment in which the go command runs for a configuration.
func (s *Set) environ(c Config) []string {
	env := slices.Concat(s.env, []string{"PWD=" + s.module.root, "GOPACKAGESDRIVER=off"}, c.variables())
	if len(c.Experiments) > 0 {
		env = append(env, "GOEXPERIMENT="+strings.Join(slices.Concat(s.rules.experiments, c.Experiments), ","))
	}
	return env
}

// Remarks returns the remarks of the compiler's escape analysis on a package in the current build.
func (s *Set) Remarks(ctx context.Context, pkgPath string) ([]escapes.Remark, error) {
	return escapes.Remarks(ctx, s.module.root, s.environ(s.Present), pkgPath)
}

// run runs the go command in a folder, in the present configuration, and returns its output.
func (s *Set) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return s.runIn(ctx, dir, nil, args...)
}

// runIn is like run, but sets additional environment variables.
func (s *Set) runIn(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, slices.Concat(s.env, []string{"PWD=" + dir}, env)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}

// findRules asks the go command for the settings of the current build and for the list of
// platforms.
func (s *Set) findRules(ctx context.Context) (*rules, error) {
	const format = `{{with context}}{"GOROOT":{{printf "%q" .GOROOT}},"GOOS":"{{.GOOS}}","GOARCH":"{{.GOARCH}}","CgoEnabled":{{.CgoEnabled}},"Compiler":"{{.Compiler}}",` +
		`"BuildTags":"{{join .BuildTags " "}}","ToolTags":"{{join .ToolTags " "}}","ReleaseTags":"{{join .ReleaseTags " "}}"}{{end}}`
	out, err := s.run(ctx, s.module.root, "list", "-f", format, "unsafe")
	if err != nil {
		return nil, err
	}
	var now struct {
		GOROOT, GOOS, GOARCH, Compiler   string
		CgoEnabled                       bool
		BuildTags, ToolTags, ReleaseTags string
	}
	if err := json.Unmarshal(out, &now); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	r := &rules{
		context: build.Context{
			GOROOT: now.GOROOT, GOOS: now.GOOS, GOARCH: now.GOARCH, CgoEnabled: now.CgoEnabled, Compiler: now.Compiler,
			BuildTags: strings.Fields(now.BuildTags), ToolTags: strings.Fields(now.ToolTags), ReleaseTags: strings.Fields(now.ReleaseTags),
		},
		present: Config{GOOS: now.GOOS, GOARCH: now.GOARCH, Cgo: now.CgoEnabled, Tags: slices.Sorted(slices.Values(strings.Fields(now.BuildTags)))},
		levels:  map[string][]level{},
		taken:   map[takenKey]bool{},
		built:   map[*class]bool{},
	}
	out, err = s.run(ctx, s.module.root, "env", "GOEXPERIMENT")
	if err != nil {
		return nil, err
	}
	r.experiments = strings.FieldsFunc(strings.TrimSpace(string(out)), func(c rune) bool { return c == ',' })
	if out, err = s.run(ctx, s.module.root, "tool", "dist", "list", "-json"); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &r.platforms); err != nil {
		return nil, fmt.Errorf("go tool dist list: %w", err)
	}
	slices.SortStableFunc(r.platforms, func(a, b platform) int { return order(a.FirstClass, b.FirstClass) })
	return r, nil
}

// order compares two bools for sorting; true comes first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Files returns the absolute names of all Go files of the module that are included in some build.
func (s *Set) Files() (names []string) {
	for path := range s.module.folders {
		names = append(names, s.FilesOf(path)...)
	}
	slices.Sort(names)
	return names
}

// FilesOf is like Files, but is limited to the files in the folder of one package.
func (s *Set) FilesOf(path string) (names []string) {
	folder := s.module.folders[path]
	if folder == nil {
		return nil
	}
	for _, file := range folder.files {
		if s.rules.possible(file.class) {
			names = append(names, file.name)
		}
	}
	return names
}

// Has reports whether a file is in a module folder that contains Go files.
func (s *Set) Has(name string) bool {
	for _, f := range s.module.folders {
		if f.dir == filepath.Dir(name) {
			return true
		}
	}
	return false
}

// Takes reports whether a configuration includes f.
func (s *Set) Takes(c Config, f *File) bool { return s.rules.takes(c, f.class) }

// Built reports whether any build includes the file, even if no configuration of the Set does.
func (f *File) Built() bool { return f.Why != noBuild }

// IsOwn reports whether the package with an import path belongs to the module.
func (s *Set) IsOwn(path string) bool { return s.module.folders[path] != nil }

// Short returns the name of a file relative to the root folder of the module. Names of files
// outside the module are returned unchanged.
func (s *Set) Short(name string) string {
	if rel, err := filepath.Rel(s.module.root, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}
