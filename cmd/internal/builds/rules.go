package builds

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A class contains the properties of a file that determine which builds include it. Files with
// equal properties share a class.
type class struct {
	name          string // ends like the file name: x_windows_test.go
	header        string // lines with build constraints that take effect
	documentation bool   // the file is in package documentation, which no build includes
	cgo           bool   // it imports "C"
}

// classOf returns the class of a file. It does not set the field cgo.
func classOf(name string, data []byte) class {
	c := class{name: "x.go"}
	stem, _, _ := strings.Cut(name, ".") // up to the first dot, as in go/build
	stem, test := strings.CutSuffix(stem, "_test")
	if parts := strings.Split(stem, "_"); len(parts) > 1 { // the last two may be GOOS and GOARCH
		c.name = "x_" + strings.Join(parts[max(1, len(parts)-2):], "_") + ".go"
	}
	if test { // a second _test is an ordinary element of the name
		c.name = strings.TrimSuffix(c.name, ".go") + "_test.go"
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // go/build skips the byte order mark
	end, pkg := clauseOf(data)
	c.header, c.documentation = headerOf(string(data[:end])), pkg == "documentation"
	return c
}

// clauseOf returns the offset of the package clause and the package name in it.
func clauseOf(data []byte) (begin int, name string) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, 0)
	pos, _, _ := s.Scan()
	_, _, name = s.Scan()
	return file.Offset(pos), name
}

// never and oldNever are build constraints that no build satisfies, one in the current syntax and
// one in the old syntax.
const (
	never    = "//go:build coppice_never"
	oldNever = "// +build coppice_never"
)

// headerOf returns the build-constraint lines that take effect in text, which is the source before
// the package clause. A line in a block comment has no effect, nor does an old-style line directly
// above the clause. headerOf asks go/build: a line has an effect if the file is left out after this
// line has been replaced with a constraint that no build satisfies and all others have been
// removed.
func headerOf(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var at []int
	for i, line := range lines {
		if line = strings.TrimSpace(line); constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			at = append(at, i)
		}
	}
	plain := slices.Clone(lines)
	for _, i := range at {
		plain[i] = "//\n"
	}
	var all []string
	b := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc"}
	for _, i := range at {
		line := strings.TrimSpace(lines[i])
		plain[i] = oldNever + "\n"
		if constraint.IsGoBuild(line) {
			plain[i] = never + "\n"
		}
		if !matchText(b, "x.go", strings.Join(plain, "")+"package p\n") {
			all = append(all, line)
		}
		plain[i] = "//\n"
	}
	if slices.ContainsFunc(all, constraint.IsGoBuild) { // a go:build line disables the +build lines
		all = slices.DeleteFunc(all, constraint.IsPlusBuild)
	}
	return strings.Join(all, "\n")
}

// matchText reports whether go/build includes a file with the given name and text. A file with
// invalid constraints is never included.
func matchText(b build.Context, name, text string) bool {
	b.JoinPath = filepath.Join
	b.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	yes, err := b.MatchFile(".", name)
	return err == nil && yes
}

// constraints parses the lines that headerOf returned.
func constraints(header string) (all []constraint.Expr) {
	for line := range strings.Lines(header) {
		if expr, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
			all = append(all, expr)
		}
	}
	return all
}

func importsC(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` || spec.Path.Value == "`C`" }

// A platform is a combination of operating system and architecture, as listed by go tool dist list.
type platform struct {
	GOOS, GOARCH             string
	CgoSupported, FirstClass bool
}

// rules determine which configuration includes which file. They use go/build, so system names,
// unix, release tags and all other tags have the same meaning as in the go command.
type rules struct {
	context     build.Context // go/build context of the current build
	present     Config
	experiments []string // GOEXPERIMENT values of the current build
	platforms   []platform
	most        int                // maximum number of configurations
	levels      map[string][]level // feature levels by GOARCH, the environment's first; only if files have their tags

	mu    sync.Mutex
	taken map[takenKey]bool
	built map[*class]bool // results of possible
}

type takenKey struct {
	config string
	class  *class
}

// takes reports whether a configuration includes the files of a class.
func (r *rules) takes(c Config, file *class) bool {
	if file.documentation || file.cgo && !c.Cgo {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := takenKey{c.String(), file}
	yes, known := r.taken[key]
	if !known {
		yes = r.matches(c, file.name, file.header)
		r.taken[key] = yes
	}
	return yes
}

// possible reports whether any build includes the files of a class.
func (r *rules) possible(file *class) bool {
	r.mu.Lock()
	yes, known := r.built[file]
	r.mu.Unlock()
	if !known {
		yes = r.takes(r.present, file) || r.explain(file, nil) != noBuild
		r.mu.Lock()
		r.built[file] = yes
		r.mu.Unlock()
	}
	return yes
}

// matches reports whether go/build includes a file with the given name and header in a
// configuration.
func (r *rules) matches(c Config, name, header string) bool {
	b := r.context
	b.GOOS, b.GOARCH, b.CgoEnabled, b.BuildTags = c.GOOS, c.GOARCH, c.Cgo, c.Tags
	b.ToolTags = slices.DeleteFunc(slices.Clone(b.ToolTags), func(tag string) bool {
		if name, ok := cutExperiment(tag); ok {
			return slices.Contains(c.Experiments, "no"+name)
		}
		return true // the tag of a feature level
	})
	b.ToolTags = append(b.ToolTags, r.levelTags(c)...)
	for _, e := range c.Experiments {
		b.ToolTags = append(b.ToolTags, experiment+e)
	}
	return matchText(b, name, header+"\n\npackage p\n") // an empty line must follow a +build line
}

// experiment is the prefix of the build tags that GOEXPERIMENT sets.
const experiment = "goexperiment."

func cutExperiment(tag string) (name string, ok bool) { return strings.CutPrefix(tag, experiment) }

// fixed matches the tags that users do not set, because the toolchain sets them or because they are
// never set.
var fixed = regexp.MustCompile(`^(ignore|cgo|unix|gc|gccgo|cmd_go_bootstrap|compiler_bootstrap|go1\.\d+)$`)

// free returns the tags in the constraints of the given classes that a user may set.
func (r *rules) free(classes ...*class) (all []string) {
	for _, file := range classes {
		for _, tag := range tagsOf(file) {
			if !fixed.MatchString(tag) && !slices.Contains(all, tag) && !r.platformName(tag) && !r.isLevel(tag) {
				all = append(all, tag)
			}
		}
	}
	slices.Sort(all)
	return all
}

// tagsOf returns all tags in the constraints of a class.
func tagsOf(file *class) (all []string) {
	for _, expr := range constraints(file.header) {
		expr.Eval(func(tag string) bool {
			all = append(all, tag)
			return false
		})
	}
	return all
}

// platformName reports whether a tag is the name of an operating system or an architecture, even if
// Go has not been ported to it.
func (r *rules) platformName(tag string) bool {
	if strings.Contains(tag, ".") { // in a file name, go/build ignores the text after a dot
		return false
	}
	name := "x_" + tag + ".go"
	for _, p := range []Config{{GOOS: "linux", GOARCH: "amd64"}, {GOOS: "windows", GOARCH: "arm64"}} {
		if !r.matches(p, name, "") {
			return true
		}
	}
	return false
}
