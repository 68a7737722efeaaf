package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

// options holds the flags of coppice lab run.
type options struct {
	depth, runs, warmup        int
	workers, contenders, class string
	gogc, memlimit             string
	out, baseline              string
	complete, dry              bool
	seed                       uint64
	shard                      string // shard of a plan, which determines what to run
	anyway, busy               bool
	wait                       time.Duration // maximum time to wait for an idle machine
	answers                    *[]reported   // reports to print with -json; nil without -json
	doubt                      string        // warning about the experiment's declaration, for the report; not set by a flag
}

// sweepFlags declares the flags that coppice lab run shares with coppice lab plan.
func (o *options) sweepFlags(flags *flag.FlagSet) {
	wholeVar(flags, &o.runs, "runs", 0, mostRuns, 0, "number `N` of measured rounds; 0: the experiment's default")
	wholeVar(flags, &o.warmup, "warmup", -1, mostRuns, -1, "number `N` of warm-up rounds; -1: the experiment's default")
	o.workers = "0"
	flags.Var(items{&o.workers, wholes(0, mostWorkers)}, "workers", "comma-separated `numbers` of threads; 0: the contender's default")
	flags.Var(items{&o.contenders, anyText}, "contenders", "run only these contenders, comma-separated `names`; * matches any text")
	flags.StringVar(&o.class, "class", "", "run only contenders of this `class`: "+experiment.ClassNames)
	flags.Var(items{&o.gogc, gogc}, "gogc", "run each Go contender with each of these comma-separated `values` of GOGC")
	flags.Var(single{items{&o.memlimit, memlimit}}, "memlimit", "run the Go contenders with this `value` of GOMEMLIMIT")
	flags.Var(seed{&o.seed}, "seed", "`number` that determines the order within rounds; 0: a random number")
	flags.BoolVar(&o.dry, "n", false, "run nothing; print what would be run")
	flags.BoolVar(&o.complete, "complete", false, "fail unless every contender ran and printed the expected or the same output")
}

// checkSweep returns an error if the class is unknown.
func (o options) checkSweep() error {
	if o.class != "" && !slices.Contains(experiment.Classes, o.class) {
		return cli.MisspeltValue("-class", strconv.Quote(o.class), experiment.ClassNames, experiment.Classes...)
	}
	return nil
}

func parseRun(args []string, stdout io.Writer) (string, options, error) {
	var o options
	flags := flag.NewFlagSet("coppice lab run", flag.ContinueOnError)
	o.sweepFlags(flags)
	wholeVar(flags, &o.depth, "depth", 0, math.MaxInt, 0, "size `N` of the problem; 0: the experiment's default")
	flags.StringVar(&o.out, "out", "", "add the results to those in this `folder`")
	flags.Var(patience{&o.wait}, "wait-for-quiet", "wait at most this `time`, such as 10m, for an idle machine")
	flags.BoolVar(&o.busy, "busy", false, "with -out: measure on a busy machine too; reports of these results note this")
	flags.StringVar(&o.baseline, "baseline", "", "compute ratios to the contender of this `name`")
	asJSON := flags.Bool("json", false, "print one JSON object")
	flags.StringVar(&o.shard, "shard", "", "run this shard of a plan, `DIR/NUMBER`, or DIR under Slurm or Kubernetes")
	flags.BoolVar(&o.anyway, "anyway", false, "with -shard: accept another revision, declaration or coppice than planned")
	if err := cli.ParseFlags(flags, "usage: coppice lab run EXPERIMENT [flags]\n       coppice lab run -shard DIR/NUMBER [-anyway]\n", args, stdout); err != nil {
		return "", o, err
	}
	if *asJSON {
		o.answers = &[]reported{}
	}
	others := flags.NArg() > 0
	flags.Visit(func(f *flag.Flag) { others = others || f.Name != "shard" && f.Name != "anyway" })
	switch {
	case flags.NArg() > 1:
		return "", o, cli.Usagef("unexpected argument %q; coppice lab run -help lists the flags", flags.Arg(1))
	case o.shard != "" && others:
		return "", o, cli.Usagef("-shard takes the experiment and its flags from the plan: leave out all but -anyway")
	case o.shard != "":
		return "", o, nil
	case o.anyway:
		return "", o, cli.Usagef("-anyway needs -shard")
	case flags.NArg() == 0:
		return "", o, cli.Usagef("no experiment given; coppice lab list prints the experiments")
	}
	return flags.Arg(0), o, o.checkSweep()
}

// Run implements coppice lab run, which runs one experiment, or a shard of a sweep.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	name, o, err := parseRun(args, stdout)
	if err != nil {
		return err
	}
	if o.shard != "" {
		return runShard(ctx, o, stdout, stderr)
	}
	return o.start(ctx, name, args, stdout, stderr)
}

// start runs the named experiment with the options.
func (o options) start(ctx context.Context, name string, args []string, stdout, stderr io.Writer) error {
	dir, e, err := findExperiment(name)
	if err != nil {
		return err
	}
	plan, err := o.plan(e)
	if err != nil {
		return cli.Usage(err)
	}
	if err := checkBaseline(o.baseline, e, plan.Contenders); err != nil {
		return err
	}
	if o.dry {
		_, err := io.WriteString(stdout, wouldRun(plan))
		return err
	}
	plan.Source = runner.SourceOf(ctx, process.System{Dir: dir}, dir, absolute(o.out))
	return o.measure(ctx, plan, args, stdout, stderr)
}

// checkBaseline returns an error unless name is empty, or is the name of a declared contender or of
// a contender in others. Contenders in others run with settings, or ran earlier.
func checkBaseline(name string, e experiment.Experiment, others []experiment.Contender) error {
	var names []string
	for _, c := range slices.Concat(e.Contenders, others) {
		if c.Name == name {
			return nil
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if name == "" {
		return nil
	}
	const most = 3
	return cli.Usagef("invalid -baseline %q: must be a contender of %s; did you mean %s?", name, e.Name, strings.Join(nearest.Names(name, names, most), ", "))
}

// wouldRun describes the runs that a plan would start.
func wouldRun(p runner.Plan) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s at depth %d: each contender once in each of %d rounds, after %d warm-up rounds; %d runs in all\n",
		p.Experiment.Name, p.Depth, p.Runs, p.Warmup, len(p.Contenders)*(p.Runs+p.Warmup))
	for _, c := range p.Contenders {
		fmt.Fprintf(&out, "    %s\n", c.Name)
	}
	return out.String()
}

// findExperiment returns an experiment of the repository, and its root.
func findExperiment(name string) (string, experiment.Experiment, error) {
	dir, all, err := experiments()
	if err != nil {
		return dir, experiment.Experiment{}, err
	}
	e, err := experiment.Find(all, name)
	if err != nil {
		return dir, e, cli.Usage(err)
	}
	return dir, e, nil
}

// plan converts the flags to a plan of runs.
func (o options) plan(e experiment.Experiment) (runner.Plan, error) {
	var patterns []string
	if o.contenders != "" {
		patterns = cli.List(o.contenders)
	}
	chosen, err := e.Select(patterns)
	if err != nil {
		return runner.Plan{}, fmt.Errorf("-contenders: %w", err)
	}
	counts, err := o.workerCounts()
	if err != nil {
		return runner.Plan{}, err
	}
	p := runner.Plan{Experiment: e, Depth: e.Depth, Runs: e.Runs, Warmup: e.Warmup, Seed: o.seed}
	for p.Seed == 0 {
		p.Seed = uint64(rand.Uint32()) // 32 bits are short enough to type
	}
	for _, c := range chosen {
		if o.class == "" || c.Class == o.class {
			p.Contenders = append(p.Contenders, o.variants(c)...)
		}
	}
	p.Contenders = experiment.WithWorkers(p.Contenders, counts)
	switch {
	case len(p.Contenders) > 0:
	case o.class != "":
		return p, fmt.Errorf("-class %s: no selected contender of %s is of this class", o.class, e.Name)
	default:
		return p, fmt.Errorf("-workers %s: no selected contender of %s can use that many threads", o.workers, e.Name)
	}
	if o.depth > 0 {
		p.Depth = o.depth
	}
	if o.runs > 0 {
		p.Runs = o.runs
	}
	if o.warmup >= 0 {
		p.Warmup = o.warmup
	}
	return p, nil
}

// workerCounts parses the value of -workers. A value from the flag has already been checked, but
// the value may also come from a plan file.
func (o options) workerCounts() (counts []int, err error) {
	for _, text := range cli.List(o.workers) {
		count, err := strconv.Atoi(text)
		if err != nil || count < 0 || count > mostWorkers {
			return nil, fmt.Errorf("-workers %s: %w", text, within(0, mostWorkers))
		}
		if !slices.Contains(counts, count) {
			counts = append(counts, count)
		}
	}
	return counts, nil
}

// variants returns the variants of a contender to run. A Go contender has one variant for each
// value of -gogc, each with -memlimit. Any other contender is returned unchanged.
func (o options) variants(c experiment.Contender) []experiment.Contender {
	if c.Language != "Go" || o.gogc == "" && o.memlimit == "" {
		return []experiment.Contender{c}
	}
	with := func(c experiment.Contender, name, value string) experiment.Contender {
		env := map[string]string{name: value}
		for k, v := range c.Env {
			if k != name {
				env[k] = v
			}
		}
		c.Env = env
		c.Name += " " + name + "=" + value
		return c
	}
	if o.memlimit != "" {
		c = with(c, "GOMEMLIMIT", o.memlimit)
	}
	if o.gogc == "" {
		return []experiment.Contender{c}
	}
	var all []experiment.Contender
	for _, value := range cli.List(o.gogc) {
		all = append(all, with(c, "GOGC", value))
	}
	return all
}

// measure runs one session, saves each run when it ends, and writes the report.
func (o options) measure(ctx context.Context, plan runner.Plan, args []string, stdout, stderr io.Writer) error {
	if o.out != "" {
		lock, err := filelock.Try(o.out)
		if err != nil {
			return err
		}
		defer lock.Release() // held until the report is written
	}
	values, err := o.quiet(ctx, stderr)
	if err != nil {
		return err
	}
	values["command"] = "coppice lab run " + strings.Join(quoted(args), " ")
	session, runErr := o.session(ctx, plan, values, stderr)
	interrupted := errors.Is(runErr, context.Canceled)
	if runErr != nil && !interrupted {
		return runErr
	}
	sessions := []record.Session{session}
	if o.out != "" {
		var err error
		if sessions, err = record.Read(o.out); err != nil {
			return err
		}
	}
	if err := errors.Join(o.render(plan.Experiment, sessions, stdout), o.printAnswers(stdout)); err != nil {
		return err
	}
	switch {
	case interrupted && o.out != "":
		return errors.New("interrupted; finished runs are reported above and kept")
	case interrupted:
		return errors.New("interrupted; finished runs are reported above")
	}
	return o.judge(plan.Experiment, session.Runs)
}
