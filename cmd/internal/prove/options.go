package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// alpha is the maximum probability that a proof claims a difference between equal programs. All
// benchmarks, metrics and looks of the proof share it.
const alpha = 0.05

// Options specifies what is compared, and how.
type Options struct {
	Dir        string   // current folder of the user
	Base       string   // a revision or a folder
	Head       string   // a folder; empty for the tree that contains Dir
	Patches    []string // patches to the tree that contains Dir, the base; each yields a head
	Witness    string   // patch that yields the only head's witness form, which runs before comparisons; empty for none
	Vet        bool     // whether to compare what go vet reports for the packages in Changed
	Kept       string   // patch that is applied to the base if Patches is set; each of Patches includes its changes
	Key        Key      // benchmarks to compare within the tree that contains Dir, or within Head
	Bench      string   // pattern for names of benchmarks
	Packages   []string // package patterns
	Toolchains bool     // whether the trees may choose different Go toolchains, which are then compared
	Procs      int      // number of processors for each benchmark; 0 for the benchmark's own number

	Commands [][]string // commands to compare instead of trees; the first is the base
	Stdin    string     // file that each command reads
	Around   Around     // shell lines to run before and after commands
	AnyExit  bool       // whether any exit code is allowed; it must be the same for all commands
	Params   []Param    // replaces {name} in Commands, Stdin, Around.Prepare; one subject per combination

	Rounds       int      // number of rounds; 0 for as many as necessary
	Most         int      // maximum number of rounds if Rounds is 0; 0 for no maximum
	MinEffect    float64  // smallest effect worth having; 0.05 is 5 %
	Goal         string   // metric to improve: cpu, wall, rss, allocs, or metric.OfUnit of a reported unit
	Higher       []string // reported units for which higher values are better
	Lower        []string // reported units for which lower values are better
	Equal        []Check
	Changed      []string // packages to test in addition to the packages with benchmarks
	Confirm      bool     // whether a second set of rounds must confirm a loss in a time or in peak memory
	LeastBytes   float64  // minimum bytes that an operation of a head must allocate; with fewer, it skipped the work
	Instructions bool     // whether to count instructions, too
	Out          string   // folder in which the runs are stored; empty for none

	Tool    string
	Show    Progress
	Scratch *trees.Scratch
}

// A Check is a way to find out whether programs behave differently.
type Check string

// These are the values of Check.
const (
	CheckTests      Check = "tests"      // tests of the packages with benchmarks
	CheckDependants Check = "dependants" // tests of all packages that import these packages
	CheckRace       Check = "race"       // the tests once more, with the race detector
	CheckResults    Check = "results"    // results that benchmarks compute
	CheckOutput     Check = "output"     // output that commands print
)

// Progress is notified of the steps of a proof.
type Progress interface {
	Stage(what string)                      // a step begins
	Round(round, of, runs int, what string) // a run begins; runs is the number of runs per round
}

// start returns a new result, which describes the environment but contains no comparisons yet.
func (o *Options) start(ctx context.Context) *Result {
	return &Result{
		Schema: Schema, Tool: o.Tool, Started: time.Now().UTC(),
		Environment: process.Environment(ctx, process.System{Dir: o.Dir}),
	}
}

// measured runs the rounds of a plan. It also measures how much CPU time other processes use in the
// meantime, and adds a warning if they disturbed the rounds.
func (r *Result) measured(ctx context.Context, p measure.Plan) (*measure.Data, error) {
	watch := quiet.Begin()
	data, err := measure.Measure(ctx, p)
	if others, known := watch.Others(); known && quiet.Disturbs(others) {
		r.Others = others
		r.Warnings = append(r.Warnings, fmt.Sprintf("other programs used %.1f of %d processors during the rounds; small differences stay undecided", others, runtime.NumCPU()))
	}
	return data, err
}

// plan returns the plan for measuring the subjects. The function better returns the direction of a
// unit that benchmarks report; it is nil if they report nothing.
func (o *Options) plan(subjects []measure.Subject, sides int, log *log, better func(string) metric.Direction) measure.Plan {
	p := measure.Plan{
		Subjects: subjects, Sides: sides, MinEffect: o.MinEffect, Decided: o.decided, Seed: rand.Uint64(),
		Looks: stats.Looks(alpha, o.Most), Better: better,
		Step: func(round, of int, subject string) {
			o.Show.Round(round, of, sides*len(subjects), subject)
		},
	}
	if o.Rounds > 0 {
		p.Looks = []stats.Look{{N: o.Rounds, Alpha: alpha}}
	}
	if o.Confirm {
		p.Confirm = o.claims
	}
	if log != nil {
		p.Done, p.Save = log.done, log.add
	}
	return p
}

// LooksAtMost returns the maximum number of looks of a proof.
func (o *Options) LooksAtMost() int {
	if o.Rounds > 0 {
		return 1
	}
	return len(stats.Looks(alpha, o.Most))
}
