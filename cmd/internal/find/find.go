package find

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find/decide"
	"github.com/coppice-go/coppice/cmd/internal/find/owners"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/find/values"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// Options specifies what to analyze, and how.
type Options struct {
	Dir      string   // the user's folder
	Packages []string // package patterns
	Bench    string   // benchmark pattern
	Test     string   // test pattern, for Tests
	Args     []string // program arguments, for Program
	Probe    probe.Options
	Tool     string
	Builds   []string          // kinds of other builds to measure, from OtherBuilds
	Show     func(what string) // called before each stage
	Scratch  *trees.Scratch
}

// start returns a new result, which contains the current time and the environment.
func (o *Options) start(ctx context.Context) *Result {
	return &Result{
		Schema: Schema, Tool: o.Tool, Started: time.Now().UTC(),
		Environment: process.Environment(ctx, process.System{Dir: o.Dir}),
	}
}

// A Found contains an answer, and the profiles from which it was computed.
type Found struct {
	*Result
	Heap   *profile.Profile // heap profile of one run
	CPU    *profile.Profile // CPU profile; nil if it has no samples
	SiteOf func(*profile.Sample) *site.Site
}

// A subject is the code under analysis: a benchmark, the tests of a package, or a program.
type subject interface {
	probe.Subject
	// Changed builds the subject again with changes, and writes the changed files into folder. It
	// then runs n operations with env in the environment, and returns the number of operations that
	// it ran. If a run of the subject is a single operation, Changed runs it once.
	Changed(ctx context.Context, c wrap.Changes, folder string, env map[string]string, n int) (operations int, err error)
}

// A looked contains a subject that was built, and the data that the stages of the analysis need.
type looked struct {
	subject
	tree    *gobench.Tree
	scope   *profiles.Scope
	pattern string // package pattern
}

// Benchmark analyzes the benchmark that matches o.Bench. If several match, it selects the one with
// the largest share of CPU time in memory management.
func Benchmark(ctx context.Context, o Options) (*Found, error) {
	r := o.start(ctx)
	t, err := o.build(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(ctx, t)
	if err != nil {
		return nil, err
	}
	b, err := o.choose(ctx, t, scope, r)
	if err != nil {
		return nil, err
	}
	if err := readable(ctx, t, b.Package); err != nil {
		return nil, err
	}
	p := t.Packages[b.Package]
	r.Target = Target{Package: b.Package, Name: b.Name, Unit: "operation", Dir: p.Dir}
	r.Target.Next = fmt.Sprintf("-bench '%s' %s", gobench.Pattern(b.Name), packageArgument(o.Dir, p.Dir))
	r.ran(t, b.Package)
	if len(o.Builds) > 0 {
		o.Probe.Builds = o.builds(r, t, b)
	}
	return o.look(ctx, r, &looked{benchmark{probe.NewBenchmark(t, b)}, t, scope, b.Package})
}

// look runs the stages of the analysis on a subject that was built.
func (o *Options) look(ctx context.Context, r *Result, l *looked) (*Found, error) {
	o.Probe.Memory, o.Probe.Show, o.Probe.Least = machineMemory(), o.Show, remedy.MinSamples
	measured, err := probe.Run(ctx, l.subject, o.Probe)
	if err != nil {
		return nil, err
	}
	r.measured(measured)
	sites, err := r.sites(l.scope, measured)
	if err != nil {
		return nil, err
	}
	o.Show("reading the source")
	look, leave := worthReading(r.Sites)
	facts.Name(leave)
	where := sources(ctx, l.tree, l.pattern)
	where.Standard = l.scope.Standard
	parts := map[*site.Site][]*site.Site{}
	where.Divided = func(part, of *site.Site) {
		r.Sites = append(r.Sites, part)
		parts[of] = append(parts[of], part)
	}
	warnings, err := facts.Fill(ctx, where, look)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, warnings...)
	if err := r.values(ctx, o, l); err != nil {
		return nil, err
	}
	if err := r.owners(ctx, o, l); err != nil {
		return nil, err
	}
	r.decide()
	return &Found{r, measured.Heap.Plain.Held, measured.Profile, func(s *profile.Sample) *site.Site {
		call, _ := l.scope.Call(s)
		at := sites[call.Key]
		for _, part := range parts[at] {
			if part.Has(call.In, call.At) {
				return part
			}
		}
		return at
	}}, nil
}

// benchmark implements subject for a Go benchmark.
type benchmark struct{ *probe.Benchmark }

// Changed implements subject. It builds the test binary with the changes, and runs n operations.
func (b benchmark) Changed(ctx context.Context, c wrap.Changes, folder string, env map[string]string, n int) (operations int, err error) {
	replace, err := c.Write(folder)
	if err != nil {
		return 0, err
	}
	file, err := b.Tree.Variant(ctx, "changed", b.Package, replace)
	if err != nil {
		return 0, err
	}
	_, err = b.Run(ctx, b.Tree, gobench.How{Time: gobench.Times(n), File: file, Env: env})
	return n, err
}

// values counts the different strings that each site allocates.
func (r *Result) values(ctx context.Context, o *Options, l *looked) error {
	if !o.Probe.Fates {
		return nil
	}
	folder, err := o.Scratch.Sub("strings")
	if err != nil {
		return err
	}
	mine := func(path string) bool { return path == "main" || l.scope.Mine(path) }
	err = values.Count(ctx, r.Sites, r.Classes.Malloc, mine, folder, func(ctx context.Context, c wrap.Changes, env map[string]string) error {
		o.Show("counting which strings repeat")
		_, err := l.Changed(ctx, c, folder, env, 1)
		return err
	})
	if errors.Is(err, values.ErrNotCounted) {
		r.warn("%v", err)
		return nil
	}
	return err
}

// Limits of the run in which owners are counted: its CPU time, and its number of operations. If
// there are many operations, the owners that the set-up creates hardly change the result.
const (
	countingTime  = 1.0 // CPU seconds
	mostCountings = 100
)

// owners counts the structs that could own an allocator for the values of the sites.
func (r *Result) owners(ctx context.Context, o *Options, l *looked) error {
	if !o.Probe.Fates {
		return nil
	}
	folder, err := o.Scratch.Sub("owners")
	if err != nil {
		return err
	}
	mine := func(path string) bool { return path == "main" || l.scope.Mine(path) }
	n := int(min(mostCountings, max(1, countingTime/max(r.Op.CPU, shortest))))
	tests := owners.Tests{Package: r.Target.Package}
	if !strings.HasPrefix(r.Target.Name, "-main") {
		tests.Dir = r.Target.Dir
	}
	err = owners.Count(ctx, r.Sites, mine, tests, folder, func(ctx context.Context, c wrap.Changes, env map[string]string, part int) (int, error) {
		o.Show("counting the callers that make the values")
		return l.Changed(ctx, c, folder, env, max(1, n/part))
	})
	if errors.Is(err, owners.ErrNotCounted) {
		r.warn("%v", err)
		return nil
	}
	return err
}

// build builds the test binaries of the selected packages, and returns the tree that contains them.
func (o *Options) build(ctx context.Context) (*gobench.Tree, error) {
	here, err := trees.Here(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	t, err := o.open(ctx, here)
	if err != nil {
		return nil, err
	}
	o.Show("building the benchmarks")
	if err := o.packages(ctx, t); err != nil {
		return nil, err
	}
	names := sortedKeys(t.Packages)
	if len(names) == 1 { // of several packages, only the chosen package must be readable
		if err := readable(ctx, t, names[0]); err != nil {
			return nil, err
		}
	}
	return t, t.Build(ctx, names)
}

// packages selects the packages that have benchmarks.
func (o *Options) packages(ctx context.Context, t *gobench.Tree) error {
	err := t.Choose(ctx, o.Packages)
	if err == nil && len(t.Packages) == 0 {
		err = fmt.Errorf("no package of %s %w", strings.Join(o.Packages, " "), ErrNone)
	}
	return err
}

// readable returns an error if this program is too old to read a package as the tree's go command
// compiles it. It ignores other errors, such as a package that does not compile: later stages
// report them.
func readable(ctx context.Context, t *gobench.Tree, importPath string) error {
	err := facts.Readable(ctx, sources(ctx, t, importPath), importPath)
	var old *facts.TooOldError
	if ctx.Err() != nil || errors.As(err, &old) {
		return err
	}
	return nil
}

// sources returns the options for package facts to find the source of a tree.
func sources(ctx context.Context, t *gobench.Tree, pattern string) facts.Options {
	return facts.Options{Dir: t.Dir, Env: t.Env(), Go: t.Command(ctx).Path, Patterns: []string{pattern}, Temp: t.Folder}
}

// open prepares the tree and copies it. Test binaries are built in the tree itself, so that
// profiles name its files and the go command uses its build cache. They run in the copy, which they
// may write to.
func (o *Options) open(ctx context.Context, here trees.Tree) (*gobench.Tree, error) {
	folder, err := o.Scratch.Sub("find")
	if err != nil {
		return nil, err
	}
	shared, err := o.Scratch.Sub("meter")
	if err != nil {
		return nil, err
	}
	t, plain, err := gobench.Open(ctx, here, folder, shared)
	if err == nil && plain != nil {
		err = fmt.Errorf("%w; choose another toolchain with GOTOOLCHAIN", plain)
	}
	if err != nil {
		return nil, err
	}
	o.Show("copying " + here.Name)
	t.Copy, err = trees.Copy(ctx, here, filepath.Join(o.Scratch.Path, "tree"))
	return t, err
}

// ran adds a warning if the test binary of a package does not run in a full copy of the tree, and
// another if settings of the go command change what is measured.
func (r *Result) ran(t *gobench.Tree, path string) {
	if !t.Inside(path) {
		r.warn("%s", gobench.Outside(path, t.Root))
	}
	for _, note := range []string{t.Copy.Note, t.Slowed()} {
		if note != "" {
			r.warn("%s", note)
		}
	}
}

// scopeOf returns a scope in which the packages of the user's modules belong to the user.
func scopeOf(ctx context.Context, t *gobench.Tree) (*profiles.Scope, error) {
	out, err := t.Go(ctx, "list", "-m", "-f", "{{if .Main}}{{.Path}}{{end}}")
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(out))
	return &profiles.Scope{One: true, Mine: func(path string) bool {
		return slices.ContainsFunc(names, func(m string) bool { return profiles.OfModule(path, m) })
	}}, nil
}

// packageArgument returns the argument that names the package in dir, for a go command that runs in
// from.
func packageArgument(from, dir string) string {
	rel, err := filepath.Rel(from, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return dir
	}
	if rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// machineMemory returns the size of this machine's memory in bytes, or a guess if the size is
// unknown.
func machineMemory() float64 {
	const guess = 4 << 30
	if m := process.Memory(); m > 0 {
		return float64(m)
	}
	return guess
}

// decide sets the answer, its reason and the proposals.
func (r *Result) decide() {
	d := decide.Decide(r.input())
	r.Answer, r.Reason, r.Proposals = d.Answer, d.Reason, d.Proposals
	slices.SortFunc(r.Sites, site.Cmp)
}

// input returns the data that package decide needs.
func (r *Result) input() decide.Input {
	return decide.Input{
		Op: r.Op, Unit: r.Target.Unit, Classes: r.Classes, Ceiling: r.Ceiling, Settings: r.Settings, Sites: r.Sites, Next: r.Target.Next,
		Go: r.Environment["go"], Newest: newer(r.Environment["go"]), Module: change.ModuleAround(r.Target.Dir),
	}
}

// newer returns the version of Go that this program was built with, if it is newer than the
// measured version. Otherwise it returns "".
func newer(measured string) string {
	if built := runtime.Version(); measured != "" && compareVersions(built, measured) > 0 {
		return built
	}
	return ""
}
