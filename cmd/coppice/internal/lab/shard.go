package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/lab/shard"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// runShard measures the sessions of one shard of a plan that have no results yet. If all have
// results, it measures nothing.
func runShard(ctx context.Context, o options, stdout, stderr io.Writer) error {
	folder, i, err := shard.Target(o.shard, os.Getenv)
	if err != nil {
		return cli.Usage(err)
	}
	p, err := shard.Read(folder)
	if err != nil {
		return err
	}
	if i < 0 || i >= p.Shards {
		return cli.Usagef("invalid shard %[2]d of %[1]s: must be between 0 and %[3]d", folder, i, p.Shards-1)
	}
	was := fmt.Sprintf("shard %d of %d was already complete: %s\n", i, p.Shards, shard.Results(folder, i))
	if done, err := p.Complete(folder, i); err != nil {
		return err
	} else if done {
		_, err = io.WriteString(stdout, was)
		return err
	}
	s, err := p.ReadShard(folder, i)
	if err != nil {
		return err
	}
	dir, e, err := findExperiment(p.Experiment)
	if err != nil {
		return err
	}
	source := runner.SourceOf(ctx, process.System{Dir: dir}, dir, absolute(folder))
	here, err := describe(e, source)
	if err != nil {
		return err
	}
	if err := checkSame(p, here); err != nil && !o.anyway {
		return err
	}
	claim, err := shard.Take(ctx, p, folder, s, func(holder string) {
		fmt.Fprintf(stderr, "coppice: shard %d: waiting for %s, which is measuring this shard\n", i, cmp.Or(holder, "another run"))
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	} else if err != nil {
		return err
	}
	if claim == nil {
		_, err = io.WriteString(stdout, was)
		return err
	}
	defer claim.Release()
	err = claim.All(func(k int, session shard.Session, to string) error {
		return measureSession(ctx, e, p, place{s, k, to, source, o.shard}, stderr)
	})
	if err != nil {
		return fmt.Errorf("shard %d: %w", i, err)
	}
	_, err = fmt.Fprintf(stdout, "shard %d of %d is complete: %s\n", i, p.Shards, shard.Results(folder, i))
	return err
}

// checkSame returns an error if the tree or the program of this process differs from the tree or
// the program that is recorded in the plan p. The parameter here describes this process.
func checkSame(p, here shard.Plan) error {
	what, planned, is := "", "", ""
	switch {
	case p.Revision != here.Revision:
		what, planned, is = "revision", cmp.Or(p.Revision, "unknown"), cmp.Or(here.Revision, "unknown")
	case p.Declaration != here.Declaration:
		what, planned, is = "declaration of "+p.Experiment, p.Declaration, here.Declaration
	case p.Binary != here.Binary:
		what, planned, is = "coppice", p.Binary, here.Binary
	default:
		return nil
	}
	return fmt.Errorf("the %s here is %s, but the plan has %s; use the plan's tree and program, plan again, or use -anyway", what, is, planned)
}

// place identifies a session of a shard, with the tree and the target folder.
type place struct {
	shard.Shard
	number int
	folder string
	source runner.Source
	target string // value of -shard, as given by the user
}

// measureSession measures one session of a shard, and writes its results to a folder. If the
// session is interrupted, measureSession returns an error and keeps none of the runs.
func measureSession(ctx context.Context, e experiment.Experiment, p shard.Plan, at place, stderr io.Writer) error {
	session := at.Sessions[at.number]
	o := sessionOptions(p.Sweep, session)
	o.out = at.folder
	plan, err := o.plan(e)
	if err != nil {
		return err
	}
	plan.Depth, plan.Source = session.Depth, at.source
	plan.Session = fmt.Sprintf("-%s-%d-%d", p.Hash, at.Shard.Shard, at.number) // two machines start at the same moment
	values := map[string]string{
		"command":       "coppice lab run -shard " + quoted([]string{at.target})[0],
		shard.PlanKey:   p.Hash,
		shard.ShardKey:  strconv.Itoa(at.Shard.Shard),
		shard.NumberKey: strconv.Itoa(at.number),
	}
	if node := cmp.Or(os.Getenv("COPPICE_NODE"), os.Getenv("SLURMD_NODENAME")); node != "" {
		values[shard.NodeKey] = node
	}
	o.busy = true // a scheduler chose the start time; the report states how busy the machine was
	load, err := o.quiet(ctx, stderr)
	if err != nil {
		return err
	}
	maps.Copy(values, load)
	measured, err := o.session(ctx, plan, values, stderr)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; finished sessions are kept, and this one starts again")
	case err != nil:
		return err
	case slices.ContainsFunc(measured.Runs, record.Run.Built) && !slices.ContainsFunc(measured.Runs, record.Run.Counts):
		return fmt.Errorf("no contender completed the work, so nothing was kept; %s: %s", measured.Runs[0].Contender, measured.Runs[0].Reason)
	}
	return o.judge(e, measured.Runs)
}

// sessionOptions returns the options with which coppice lab run would measure a session.
func sessionOptions(s shard.Sweep, session shard.Session) options {
	return options{
		runs: s.Runs, warmup: s.Warmup, seed: session.Seed, workers: strconv.Itoa(session.Workers),
		contenders: s.Contenders, class: s.Class, gogc: s.GOGC, memlimit: s.MemLimit, complete: s.Complete,
	}
}
