package lab

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/lab/shard"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// planOptions holds the flags of coppice lab plan.
type planOptions struct {
	options
	depths, image    string
	shards, sessions int
}

func parsePlan(args []string, stdout io.Writer) (string, planOptions, error) {
	var o planOptions
	flags := flag.NewFlagSet("coppice lab plan", flag.ContinueOnError)
	o.sweepFlags(flags)
	flags.Var(items{&o.depths, wholes(1, math.MaxInt)}, "depth", "comma-separated `sizes` of the problem (default: the experiment's)")
	wholeVar(flags, &o.sessions, "sessions", 1, shard.MostSessions, 1, "number `N` of sessions for each size and number of threads")
	wholeVar(flags, &o.shards, "shards", 0, shard.MostSessions, 0, "number `N` of shards; 0: one for each session")
	flags.StringVar(&o.out, "out", "", "write the plan to this `folder`, which all machines share")
	flags.StringVar(&o.image, "image", "", "container `image` in "+shard.JobFile+" (default: golang with this Go version)")
	if err := cli.ParseFlags(flags, "usage: coppice lab plan EXPERIMENT [flags] -shards N -out DIR\n", args, stdout); err != nil {
		return "", o, err
	}
	switch {
	case flags.NArg() == 0:
		return "", o, cli.Usagef("no experiment given; try: coppice lab plan EXPERIMENT -shards 12 -out DIR")
	case flags.NArg() > 1:
		return "", o, cli.Usagef("unexpected argument %q; coppice lab plan -help lists the flags", flags.Arg(1))
	case o.out == "":
		return "", o, cli.Usagef("no folder given; name one with -out that all machines share")
	}
	return flags.Arg(0), o, o.checkSweep()
}

// Plan implements coppice lab plan, which divides a sweep into shards.
func Plan(ctx context.Context, args []string, stdout io.Writer) error {
	name, o, err := parsePlan(args, stdout)
	if err != nil {
		return err
	}
	dir, e, err := findExperiment(name)
	if err != nil {
		return err
	}
	sweep, contenders, err := o.sweep(e)
	if err != nil {
		return cli.Usage(err)
	}
	source := runner.SourceOf(ctx, process.System{Dir: dir}, dir, absolute(o.out))
	p, err := describe(e, source)
	if err != nil {
		return err
	}
	p.Made, p.Sweep, p.Shards = time.Now().UTC().Truncate(time.Second), sweep, o.shards
	p.Command = "coppice lab plan " + strings.Join(quoted(args), " ")
	if p.Shards == 0 {
		p.Shards = sweep.Sessions()
	}
	if p, err = shard.New(p); err != nil {
		return cli.Usage(err)
	}
	if o.dry {
		_, err = io.WriteString(stdout, o.message(p, contenders))
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	image := o.image
	if image == "" {
		image = "golang:" + strings.TrimPrefix(runtime.Version(), "go")
	}
	if err := shard.Write(p, shard.Place{Folder: o.out, Root: dir, Binary: self, Image: image}); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, o.message(p, contenders))
	return err
}

// message returns the message about a new plan. It contains the commands that run the plan.
func (o planOptions) message(p shard.Plan, contenders int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: sessions %d (depths %d x thread counts %d x repetitions %d), in shards 0 to %d; rounds per session %d, contenders %d\n",
		p.Experiment, p.Sweep.Sessions(), len(p.Sweep.Depths), len(p.Sweep.Workers), p.Sweep.Repetitions, p.Shards-1, p.Sweep.Runs, contenders)
	if strings.HasSuffix(p.Revision, "+") {
		fmt.Fprintln(&out, "warning: the tree has uncommitted changes; a shard cannot check that its tree has the same")
	}
	fmt.Fprintf(&out, "here:       %s lab run -shard %s\n", quoted([]string{filepath.Join(o.out, shard.BinaryFile)})[0], quoted([]string{filepath.Join(o.out, "0")})[0])
	fmt.Fprintf(&out, "Slurm:      sbatch %s\n", quoted([]string{filepath.Join(o.out, shard.SlurmFile)})[0])
	fmt.Fprintf(&out, "Kubernetes: kubectl apply -f %s\n", quoted([]string{filepath.Join(o.out, shard.JobFile)})[0])
	return out.String()
}

// sweep returns the sweep that the flags describe, and the maximum number of contenders in a
// session.
func (o planOptions) sweep(e experiment.Experiment) (s shard.Sweep, contenders int, err error) {
	s = shard.Sweep{
		Repetitions: o.sessions, Runs: o.runs, Warmup: o.warmup, Seed: o.seed,
		Contenders: o.contenders, Class: o.class, GOGC: o.gogc, MemLimit: o.memlimit, Complete: o.complete,
	}
	for s.Seed == 0 {
		s.Seed = uint64(rand.Uint32())
	}
	for _, text := range cli.List(o.depths) {
		depth, err := strconv.Atoi(text)
		if err != nil {
			return s, 0, err // impossible: the flag has checked the value
		}
		s.Depths = append(s.Depths, depth)
	}
	if len(s.Depths) == 0 {
		s.Depths = []int{e.Depth}
	}
	if s.Workers, err = o.workerCounts(); err != nil {
		return s, 0, err
	}
	for _, workers := range s.Workers {
		plan, err := sessionOptions(s, shard.Session{Workers: workers}).plan(e)
		if err != nil {
			return s, 0, err
		}
		s.Runs, s.Warmup, contenders = plan.Runs, plan.Warmup, max(contenders, len(plan.Contenders))
	}
	return s, contenders, nil
}

// describe returns a plan that records the experiment, its declaration, the revision and the
// coppice binary. Each shard checks that its own are the same.
func describe(e experiment.Experiment, source runner.Source) (shard.Plan, error) {
	declared, err := experiment.Text(e)
	if err != nil {
		return shard.Plan{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return shard.Plan{}, err
	}
	binary, err := shard.SumFile(self)
	return shard.Plan{Experiment: e.Name, Declaration: shard.Sum(declared), Revision: source.Tree(), Binary: binary}, err
}
