package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/gobench/keep"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// ErrNoRevision is wrapped by the error of Benchmarks for an invalid value of -base.
var ErrNoRevision = errors.New("must be a revision of this repository or a folder with a Go module")

// ErrNoBenchmark is wrapped by the error of Benchmarks if no benchmark matches -bench.
var ErrNoBenchmark = errors.New("no benchmark common to all trees matches -bench")

// A proof is the state of a comparison of benchmarks.
type proof struct {
	*Options
	result *Result
	trees  []trees.Tree    // trees to compare, the base first
	sides  []*gobench.Tree // trees with the binaries built from them, the base first
	paths  []string
	all    []*gobench.Benchmark
	log    *log // nil if the runs are not stored
}

// Benchmarks compares the benchmarks of two or more trees. If it is interrupted, it returns the
// result so far with the error.
//
// The cheapest steps come first, and each step may end the proof: programs with equal sources are
// not run, and programs with a violation or a different result are not timed.
func Benchmarks(ctx context.Context, o Options) (*Result, error) {
	p := &proof{Options: &o, result: o.start(ctx)}
	if err := p.findTrees(ctx); err != nil {
		return nil, err
	}
	if err := p.buildTrees(ctx); err != nil {
		return nil, err
	}
	if p.Out != "" {
		if err := checkFolder(p.Out, p.result.programs()); err != nil {
			return nil, err
		}
	}
	if p.identical() {
		if err := p.anyBenchmark(ctx); err != nil {
			return nil, err
		}
		p.result.identical()
		return p.result, nil
	}
	if err := p.findBenchmarks(ctx); err != nil {
		return nil, err
	}
	if err := p.checkGoal(); err != nil {
		return nil, err
	}
	if p.Out != "" {
		k := key{Schema: logSchema, Programs: p.result.programs(), Operations: map[string]int{}}
		for _, b := range p.all {
			k.Operations[b.Subject()] = b.N
		}
		var err error
		if p.log, err = openLog(p.Out, k); err != nil {
			return nil, err
		}
		defer p.log.close()
	}
	if p.Vet {
		if err := p.compareVet(ctx); err != nil {
			return nil, err
		}
	}
	if p.Witness != "" {
		if err := p.lookForTrouble(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.compareResults(ctx); err != nil {
		return nil, err
	}
	for _, c := range p.result.Comparisons {
		if len(c.Equality.Unequal) > 0 {
			p.result.judge(p.Options)
			return p.result, nil // the speed of a wrong program does not matter
		}
	}
	data, err := p.measure(ctx)
	if data == nil {
		return nil, err
	}
	p.describe(ctx, data)
	if p.Instructions && err == nil {
		err = p.countInstructions(ctx)
	}
	p.result.judge(p.Options)
	return p.result, err
}

// Look finds the trees, applies the patches and finds the packages, but builds and runs nothing. It
// returns the paths of the packages, or the error that Benchmarks or Commands would return.
func Look(ctx context.Context, o Options) (paths []string, err error) {
	p := &proof{Options: &o, result: &Result{}}
	for _, args := range o.Commands {
		if _, err := commandSide(args, o.variants()); err != nil {
			return nil, err
		}
	}
	if len(o.Commands) > 0 {
		return nil, nil
	}
	if err := p.findTrees(ctx); err != nil {
		return nil, err
	}
	for _, t := range p.trees {
		a := &gobench.Tree{Tree: t}
		if err := a.Choose(ctx, p.Packages); err != nil {
			return nil, err
		}
		p.sides = append(p.sides, a)
	}
	err = p.choosePaths()
	return p.paths, err
}

// findTrees creates the trees of all sides. None of them is the user's own tree, because benchmarks
// and tests write to the folders in which they run.
func (p *proof) findTrees(ctx context.Context) error {
	here, err := trees.Here(ctx, p.Dir)
	if err != nil {
		return err
	}
	if len(p.Patches) > 0 {
		var base trees.Tree
		if p.Kept != "" {
			base, err = trees.Patched(ctx, here, p.Kept, filepath.Join(p.Scratch.Path, "base"))
		} else {
			base, err = p.copied(ctx, here, "base")
		}
		if err != nil {
			return err
		}
		p.trees = append(p.trees, base)
		for i, patch := range p.Patches {
			tree, err := trees.Patched(ctx, here, patch, filepath.Join(p.Scratch.Path, fmt.Sprintf("patch%d", i)))
			if err != nil {
				return err
			}
			p.trees = append(p.trees, tree)
		}
		return nil
	}
	if p.Key.isSet() {
		return p.oneTree(ctx, here)
	}
	base, err := p.baseTree(ctx, here)
	if err != nil {
		return err
	}
	if p.Head != "" {
		if here, err = trees.In(ctx, p.Head); err != nil {
			return err
		}
	}
	if here, err = p.copied(ctx, here, "head"); err != nil {
		return err
	}
	p.trees = append(p.trees, base, here)
	return nil
}

// copied copies one of the user's trees to a folder with the given name, and returns the copy.
func (p *proof) copied(ctx context.Context, t trees.Tree, name string) (trees.Tree, error) {
	p.Show.Stage("copying " + t.Name)
	made, err := trees.Copy(ctx, t, filepath.Join(p.Scratch.Path, name))
	if err == nil && made.Note != "" {
		p.result.Warnings = append(p.result.Warnings, made.Note)
	}
	return made, err
}

// baseTree returns the tree of -base, which is a revision or a folder.
func (p *proof) baseTree(ctx context.Context, here trees.Tree) (trees.Tree, error) {
	revision := false
	var missing error
	if !filepath.IsAbs(p.Base) && p.Base != "." && p.Base != ".." {
		revision, missing = trees.IsRevision(ctx, here, p.Base)
	}
	if revision {
		p.Show.Stage("checking out " + p.Base)
		return trees.At(ctx, here, p.Base, filepath.Join(p.Scratch.Path, "base"))
	}
	tree, err := trees.In(ctx, p.Base)
	switch {
	case err != nil && missing != nil:
		return tree, missing
	case err != nil:
		err = fmt.Errorf("invalid -base %s: %w", p.Base, ErrNoRevision)
		if why := trees.NoRevisions(ctx, p.Dir); why != nil {
			err = fmt.Errorf("%w; %w", why, err)
		}
		return tree, err
	}
	return p.copied(ctx, tree, "base")
}

// buildTrees builds the test binaries of all sides. All sides share one meter, because they must
// use the same toolchain: a proof compares programs, not versions of Go. With -toolchains it
// compares versions, and each side has its own meter.
func (p *proof) buildTrees(ctx context.Context) error {
	for i, t := range p.trees {
		p.Show.Stage("building " + t.Name)
		meter := "meter"
		if p.Toolchains {
			meter = fmt.Sprintf("meter%d", i)
		}
		shared, err := p.Scratch.Sub(meter)
		if err != nil {
			return err
		}
		folder, err := p.Scratch.Sub(fmt.Sprintf("side%d", i))
		if err != nil {
			return err
		}
		a, plain, err := gobench.Open(ctx, t, folder, shared)
		if err != nil {
			return err
		}
		p.sides = append(p.sides, a)
		if slowed := a.Slowed(); slowed != "" && i == 0 {
			p.result.Warnings = append(p.result.Warnings, slowed)
		}
		switch {
		case plain != nil && i > 0 && !p.Toolchains && !p.sides[0].Plain:
			return fmt.Errorf("%s: %w", t.Name, plain)
		case plain != nil && i == 0:
			p.result.Warnings = append(p.result.Warnings, fmt.Sprintf("no meter: %v; CPU time is measured for whole processes, and results are not compared", plain))
		}
		if !p.Toolchains && !reflect.DeepEqual(a.Overlay, p.sides[0].Overlay) {
			return fmt.Errorf("%s and %s choose different Go toolchains; set GOTOOLCHAIN, or use -toolchains", p.sides[0].Name, a.Name)
		}
		if err := a.Choose(ctx, p.Packages); err != nil {
			return err
		}
	}
	if err := p.choosePaths(); err != nil {
		return err
	}
	for _, path := range p.paths {
		if !p.sides[0].Inside(path) {
			p.result.Warnings = append(p.result.Warnings, gobench.Outside(path, p.Dir))
		}
	}
	for _, a := range p.sides {
		if err := a.Build(ctx, p.paths); err != nil {
			return err
		}
	}
	p.fanOut()
	for i, a := range p.sides {
		side, err := describe(ctx, a)
		if err != nil {
			return err
		}
		if i == 0 {
			p.result.Base = side
			continue
		}
		p.result.Comparisons = append(p.result.Comparisons, Comparison{Head: side, Equality: Equality{Level: Unproven}})
	}
	return nil
}

// choosePaths chooses the packages with benchmarks on all sides, and warns about the others.
func (p *proof) choosePaths() error {
	p.paths = slices.Sorted(maps.Keys(p.sides[0].Packages))
	if len(p.paths) == 0 {
		return fmt.Errorf("no package of %v has a benchmark in %s; name packages that contain benchmarks", p.Packages, p.sides[0].Name)
	}
	p.paths = slices.DeleteFunc(p.paths, func(path string) bool {
		for _, a := range p.sides {
			if _, ok := a.Packages[path]; !ok {
				p.result.Warnings = append(p.result.Warnings, fmt.Sprintf("%s has no package %s with benchmarks; it is left out", a.Name, path))
				return true
			}
		}
		return false
	})
	return nil
}

// describe returns a Side that describes a built tree, for the result of a proof.
func describe(ctx context.Context, a *gobench.Tree) (Side, error) {
	s := Side{Name: a.Name, Revision: a.Revision, Dirty: a.Dirty, Programs: map[string]Program{}}
	for path, file := range a.Binaries {
		binary, err := gobench.HashFile(file)
		if err != nil {
			return s, err
		}
		sources, err := a.Sources(ctx, path)
		if err != nil {
			return s, err
		}
		s.Programs[programOf(a, path)] = Program{Sources: sources, Binary: binary}
	}
	return s, nil
}

// identical reports whether all sides have the same programs. It compares hashes of the sources,
// because hashes of binaries always differ: a binary contains the path of its tree.
func (p *proof) identical() bool {
	for _, c := range p.result.Comparisons {
		if !c.Head.equal(p.result.Base) {
			return false
		}
	}
	return true
}

// anyBenchmark returns an error if -bench was given and no benchmark matches it. It runs one
// operation of each match, on one side only, because all sides have the same programs.
func (p *proof) anyBenchmark(ctx context.Context) error {
	if p.Bench == anyName && len(p.paths) > 0 {
		return nil
	}
	for _, path := range p.paths {
		p.Show.Stage("looking at " + path)
		found, err := p.sides[0].Find(ctx, path, p.Bench)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%w %s", ErrNoBenchmark, p.Bench)
}

// anyName is the pattern that matches every benchmark.
const anyName = "."

// findBenchmarks finds the benchmarks that all sides have, and chooses their numbers of operations.
//
// All sides run the same number of operations, because the costs of an operation may depend on it,
// as in a map that grows. The number is chosen on the base, and lowered for a much slower head. If
// the folder of the proof contains earlier runs, their number of operations is used.
func (p *proof) findBenchmarks(ctx context.Context) error {
	for _, path := range p.paths {
		if err := p.findCommon(ctx, path); err != nil {
			return err
		}
	}
	if len(p.all) == 0 && p.Key.isSet() {
		return p.Key.notFound(p.Bench)
	}
	if len(p.all) == 0 {
		return fmt.Errorf("%w %s", ErrNoBenchmark, p.Bench)
	}
	var known key
	if p.Out != "" {
		known, _ = readKey(p.Out)
	}
	for _, b := range p.all {
		p.Show.Stage("trying " + b.Label())
		if err := b.Calibrate(ctx, p.sides[0]); err != nil {
			return err
		}
		for _, head := range p.sides[1:] {
			if err := b.Limit(ctx, head); err != nil {
				return err
			}
		}
		if n := known.Operations[b.Subject()]; n > 0 {
			b.N = n
		}
		for _, a := range p.sides {
			if a.Plain {
				if err := b.MeasureIdle(ctx, a); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findCommon finds the benchmarks of a package that all sides have.
func (p *proof) findCommon(ctx context.Context, path string) error {
	if p.Key.isSet() {
		return p.findKeyed(ctx, path)
	}
	var common []gobench.Benchmark
	for i, a := range p.sides {
		p.Show.Stage("looking at " + path + " in " + a.Name)
		found, err := a.Find(ctx, path, p.Bench)
		if err != nil {
			return err
		}
		if i == 0 {
			common = found
			continue
		}
		common = slices.DeleteFunc(common, func(b gobench.Benchmark) bool {
			missing := !slices.ContainsFunc(found, func(f gobench.Benchmark) bool { return f.Name == b.Name && f.Procs == b.Procs })
			if missing {
				p.result.Warnings = append(p.result.Warnings, fmt.Sprintf("%s has no %s; it is left out", a.Name, b.Name))
			}
			return missing
		})
	}
	p.add(common)
	return nil
}

// tested returns the packages whose tests are compared.
func (p *proof) tested() []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.paths, p.Changed))))
}

// compareResults runs the checks that find out whether the programs behave differently.
func (p *proof) compareResults(ctx context.Context) error {
	base := p.sides[0]
	tested := p.tested()
	for i, head := range p.sides[1:] {
		e := &p.result.Comparisons[i].Equality
		for _, check := range p.Equal {
			p.Show.Stage(fmt.Sprintf("comparing %s with %s: %s", head.Name, base.Name, check))
			var err error
			switch check {
			case CheckTests:
				err = compareTests(ctx, base, head, "tests", nil, tested, e)
			case CheckDependants:
				var paths []string
				if paths, err = dependants(ctx, base, tested); err == nil {
					err = compareTests(ctx, base, head, "tests, with those of dependants,", nil, paths, e)
				}
			case CheckRace:
				err = compareTests(ctx, base, head, "tests with the race detector", []string{"-race"}, tested, e)
			case CheckResults:
				for _, path := range p.paths {
					if err = compareResults(ctx, base, head, path, p.all, e); err != nil {
						break
					}
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// measure runs the rounds of all benchmarks, and returns the measured values.
func (p *proof) measure(ctx context.Context) (*measure.Data, error) {
	subjects := make([]measure.Subject, 0, len(p.all))
	for _, b := range p.all {
		subjects = append(subjects, measure.Subject{Name: b.Subject(), Run: func(ctx context.Context, side int) (map[string]float64, error) {
			return b.Figures(ctx, p.sides[side], nil)
		}})
	}
	return p.result.measured(ctx, p.plan(subjects, len(p.sides), p.log, p.better))
}

// describe adds the measured values and the positions of the benchmarks to the result.
func (p *proof) describe(ctx context.Context, data *measure.Data) {
	for i, head := range p.sides[1:] {
		places := map[string]keep.Benchmark{}
		for _, path := range p.paths {
			found, err := keep.Benchmarks(head.Packages[path].Dir)
			if err != nil {
				continue // reports then name no line for these benchmarks
			}
			for _, b := range found {
				places[path+"."+b.Name] = b
			}
		}
		for _, b := range p.all {
			s := Subject{Name: b.Label(), Package: b.Package, Operations: b.N, Rounds: data.Rounds(b.Subject()), Metrics: data.Metrics(b.Subject(), i+1)}
			top, _, _ := strings.Cut(head.Alias.Special(b.Name), "/")
			if place, ok := places[b.Package+"."+top]; ok {
				if rel, err := filepath.Rel(head.Root, place.File); err == nil {
					s.File, s.Line = filepath.ToSlash(rel), place.Line
				}
			}
			s.Warnings = append(doubts(b, data), oneSided(b, data, i+1)...)
			p.result.Comparisons[i].Subjects = append(p.result.Comparisons[i].Subjects, s)
		}
	}
}
