// Package fix makes the changes that coppice find proposes, and keeps the changes that coppice
// prove confirms. Each step is proven against the tree that contains the steps kept so far, because
// two changes that help separately may not help together. The package never writes to the user's
// tree.
//
//	fix.go     the loop
//	plan.go    which proposals can be carried out, and what they change
//	step.go    one change: patch, build, equality, measurement
//	patch.go   the text of a patch
//	generated.go  changes of generated files, by their grammars
//	arena.go   the form of a function with an arena as a parameter
//	builds.go  files that choose a different build: a profile for the compiler, a newer Go
//
// Package change makes the edits, package show prints the result, and package folder stores and
// applies patches. docs/decisions/0022 explains why all edits apply to the original source, and why
// several small changes are one step.
package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/grammar"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// Schema is the version of the JSON encoding of a Result.
const Schema = 1

// Options specifies what to fix, and how.
type Options struct {
	Dir       string       // the user's folder
	Packages  []string     // package patterns; fix uses the benchmark with the largest share of CPU time in memory management
	Bench     string       // pattern of benchmark names
	From      *find.Result // an earlier result of coppice find; nil to run coppice find now
	Only      []string     // IDs of the proposals to try; empty for all
	Arena     string       // function to rewrite for an arena; if set, the proposals of find are not tried
	Builds    []string     // elements of the variable Builds to try after all proposals
	Rounds    int          // rounds of each proof; 0 for as many as needed, up to Most
	Most      int
	MinEffect float64 // smallest effect worth having; 0.05 is 5 %
	Procs     int     // processors for each run of a proof; 0 for the benchmark's own number
	Equal     []prove.Check
	Tool      string
	Show      prove.Progress
	Scratch   *trees.Scratch

	works *grammar.Works // generated files, and their generators

	// alter changes the files of a step before the step is proven. Tests set it to show that the
	// proof rejects wrong changes.
	alter func(files map[string][]byte)
}

// A State is the outcome of a step.
type State string

// The states of a step.
const (
	Kept    State = "kept"    // proven, and included in the result
	Dropped State = "dropped" // tried but not kept; the verdict states the reason
	Left    State = "left"    // not tried, because the remedy is only advice or no edit is safe
	Begun   State = "begun"   // not tried; its patch adds draft files for the user to complete
)

// A Step is one change. It carries out a proposal, or several small ones.
type Step struct {
	Number    int             `json:"number"` // 0 if the step was not tried
	Title     string          `json:"title"`
	Proposals []find.Proposal `json:"proposals"`
	State     State           `json:"state"`
	Why       string          `json:"why"`
	Done      []string        `json:"done"` // descriptions of the changes that were made
	Stay      []string        `json:"stay"` // proposed changes not made, each with the reason
	About     []string        `json:"about"`
	Undo      []string        `json:"undo"`
	Price     []string        `json:"price"`             // assumptions about code in other modules
	Patch     string          `json:"patch,omitempty"`   // name of the patch file
	Diff      string          `json:"-"`                 // diff from the previously kept steps
	Todo      []string        `json:"todo,omitempty"`    // manual steps, if the files are only a draft
	Trouble   *prove.Trouble  `json:"trouble,omitempty"` // failure of the witness form or of go vet
	Proof     *prove.Result   `json:"proof,omitempty"`
	Heap      *prove.Result   `json:"heap,omitempty"` // with Options.Arena: the proof for callers without arenas

	begun    map[string][]byte // contents of the draft files, by name
	packages []string          // packages that the step changes
}

// Estimate returns the share of the CPU time that the proposals are estimated to save.
func (s *Step) Estimate() float64 {
	sum := 0.0
	for _, p := range s.Proposals {
		sum += p.Estimate.CPU
	}
	return sum
}

// A Result contains all steps, and the patch of the steps that were kept.
type Result struct {
	Schema      int               `json:"schema"`
	Tool        string            `json:"tool"`
	Started     time.Time         `json:"started"`
	Environment map[string]string `json:"environment"`
	Target      find.Target       `json:"target"`
	Answer      find.Answer       `json:"answer"`
	Reason      string            `json:"reason"`
	Steps       []*Step           `json:"steps"`           // tried steps in order, then the others
	Total       *prove.Result     `json:"total,omitempty"` // proof of all kept steps against the original tree
	Diff        string            `json:"-"`               // diff of all kept steps
	Before      map[string]string `json:"before"`          // SHA-256 sums of the files that it changes, before the change; "" for new files
	Warnings    []string          `json:"warnings"`
}

// Kept returns the steps that were kept.
func (r *Result) Kept() (all []*Step) {
	for _, s := range r.Steps {
		if s.State == Kept {
			all = append(all, s)
		}
	}
	return all
}

// Run finds the proposals and tries them one by one. If it is interrupted, it returns the result so
// far with the error.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &Result{
		Schema: Schema, Tool: o.Tool, Started: time.Now().UTC(),
		Environment: process.Environment(ctx, process.System{Dir: o.Dir}), Steps: []*Step{}, Before: map[string]string{}, Warnings: []string{},
	}
	tree, err := trees.Here(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	o.works = &grammar.Works{Tree: tree, Scratch: o.Scratch}
	if o.Arena != "" {
		if err := requiresLibrary(ctx, o.Dir); err != nil {
			return nil, err
		}
	}
	found, cpu, err := o.find(ctx)
	if err != nil {
		return nil, err
	}
	if why := noRace(ctx, o.Dir); why != "" && slices.Contains(o.Equal, prove.CheckRace) {
		o.Equal = slices.DeleteFunc(slices.Clone(o.Equal), func(c prove.Check) bool { return c == prove.CheckRace })
		r.Warnings = append(r.Warnings, "tests ran without the race detector: "+why)
	}
	r.Target, r.Answer, r.Reason = found.Target, found.Answer, found.Reason
	r.Warnings = append(r.Warnings, found.Warnings...)
	l := &loop{Options: &o, result: r, tree: tree}
	if o.Arena != "" {
		if err := l.arena(ctx, o.planner(found)); err != nil {
			return r, err
		}
		return r, l.finish(ctx)
	}
	steps, err := o.plan(ctx, found, r)
	if err != nil {
		return nil, err
	}
	for _, s := range r.Steps {
		if s.State != Begun {
			continue
		}
		if s.Diff, err = l.diff(ctx, nil, s.begun); err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if err := l.try(ctx, s); err != nil {
			return r, err
		}
	}
	if err := l.configure(ctx, cpu); err != nil {
		return r, err
	}
	return r, l.finish(ctx)
}

// find returns o.From or, if it is nil, runs coppice find. In the second case, it also returns a
// CPU profile.
func (o *Options) find(ctx context.Context) (*find.Result, *profile.Profile, error) {
	if o.From != nil {
		return o.From, nil, nil
	}
	f, err := find.Benchmark(ctx, find.Options{
		Dir: o.Dir, Packages: o.Packages, Bench: o.Bench, Probe: probe.Full, Tool: o.Tool, Show: o.Show.Stage, Scratch: o.Scratch,
	})
	if err != nil {
		return nil, nil, err
	}
	return f.Result, f.CPU, nil
}

// A loop is the state of Run while it tries the steps.
type loop struct {
	*Options
	result *Result
	tree   trees.Tree
	kept   []*planned
	number int
	tests  []string // packages that steps change; proofs run their tests
}

// try proves a step, and records whether the step is kept.
func (l *loop) try(ctx context.Context, s *planned) error {
	l.number++
	l.tests = union(l.tests, s.packages)
	s.Number, s.Patch = l.number, fmt.Sprintf("%d-%s.patch", l.number, slug(s.Title))
	l.result.Steps = slices.Insert(l.result.Steps, l.number-1, s.Step)
	before, err := l.sum(ctx, l.kept)
	if err != nil {
		return err
	}
	together := append(slices.Clone(l.kept), s)
	after, err := l.sum(ctx, together)
	var watched map[string][]byte
	if err == nil {
		watched, err = witness(together)
	}
	if err != nil { // each change compiles alone, so two changes edit the same code
		s.State, s.Why = Left, "it changes the same code as a step that was kept: "+err.Error()
		return nil
	}
	if l.alter != nil {
		l.alter(after)
		l.alter(watched)
	}
	if s.Diff, err = l.diff(ctx, before, after); err != nil {
		return err
	}
	proof, err := l.prove(ctx, s.Number, before, after, watched)
	s.Proof = proof
	errors.As(err, &s.Trouble)
	switch {
	case ctx.Err() != nil:
		s.State, s.Why = Dropped, "interrupted"
		return context.Cause(ctx)
	case errors.Is(err, prove.ErrNoBenchmark): // every other step would fail for the same reason
		return err
	case err != nil:
		s.State, s.Why = Dropped, oneLine(err)
		return nil
	}
	s.Why = strings.Join(proof.Comparisons[0].Reasons, "; ")
	if s.State = Dropped; proof.Verdict == prove.Keep {
		s.State = Kept
		l.kept = append(l.kept, s)
	}
	return nil
}

// finish creates the patch of all steps that were kept. If there are several, it proves them
// together against the original tree.
func (l *loop) finish(ctx context.Context) error {
	if len(l.kept) == 0 {
		return nil
	}
	after, err := l.sum(ctx, l.kept)
	if err != nil {
		return err
	}
	if l.result.Diff, err = l.diff(ctx, nil, after); err != nil {
		return err
	}
	if l.result.Before, err = l.sums(after); err != nil {
		return err
	}
	if len(l.kept) == 1 {
		l.result.Total = l.kept[0].Proof
		return nil
	}
	l.result.Total, err = l.prove(ctx, 0, nil, after, nil)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && l.result.Total.Verdict == prove.Revert {
		l.result.Diff, l.result.Before = "", map[string]string{}
		l.result.Warnings = append(l.result.Warnings, "each step is a gain, but all together are a loss: select some, and apply their patches")
	}
	return err
}

// slug converts a title to a string for file names.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	const most = 5
	return strings.Join(words[:min(len(words), most)], "-")
}

// oneLine formats an error as one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// rel returns the name of a file relative to the root of the tree.
func (l *loop) rel(name string) (string, error) {
	if real, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(real, filepath.Base(name))
	}
	rel, err := filepath.Rel(l.tree.Root, name)
	if err == nil && !filepath.IsLocal(rel) {
		err = errors.New(name + " is outside " + l.tree.Root)
	}
	return filepath.ToSlash(rel), err
}

// byEstimate orders proposals by their estimated savings, largest first.
func byEstimate(a, b find.Proposal) int {
	return cmp.Or(cmp.Compare(b.Estimate.CPU, a.Estimate.CPU), cmp.Compare(a.ID, b.ID))
}
