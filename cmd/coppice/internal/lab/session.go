package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/progress"
)

// session runs the plan as one session and saves each run when it ends. It adds the given values,
// such as the position of the session in a plan, to the session's environment. If a session is
// interrupted, it contains the finished runs.
func (o options) session(ctx context.Context, plan runner.Plan, values map[string]string, stderr io.Writer) (record.Session, error) {
	folder, err := os.MkdirTemp("", "coppice-lab-")
	if err != nil {
		return record.Session{}, err
	}
	defer os.RemoveAll(folder)
	plan.Folder = folder
	show := progress.New(stderr, uint64(len(plan.Contenders)*(plan.Runs+plan.Warmup+1)), "starting")
	x := runner.Machine{System: process.System{Dir: plan.Source.Root}}
	env := record.Environment{Schema: record.Schema, Started: time.Now().UTC(), Values: process.Environment(ctx, x)}
	env.Session = env.Started.Format("2006-01-02T15:04:05.000Z") + plan.Session
	plan.Session = env.Session
	env.Values["seed"] = strconv.FormatUint(plan.Seed, 10)
	if tree := plan.Source.Tree(); tree != "" {
		env.Values["revision"] = tree
	}
	delete(env.Values, "warning") // reports derive the warning from the load
	maps.Copy(env.Values, values)
	if self, err := os.Executable(); err == nil {
		env.Values["instrument"] = process.Instrument(ctx, x, []string{self, "version"})
	}

	session := record.Session{Environment: env}
	log, err := o.openLog(plan.Experiment, env)
	if err != nil {
		return session, err
	}
	runErr := runner.Run(ctx, x, plan, show.Step, func(r record.Run) error {
		session.Runs = append(session.Runs, r)
		return log.Add(r)
	})
	show.Clear()
	if err := log.Close(); err != nil {
		return session, err
	}
	return session, runErr
}

// judge returns an error if a session failed. A session fails if no contender could be started, if
// none completed the work, or if the session must be complete and is not.
func (o options) judge(e experiment.Experiment, runs []record.Run) error {
	switch {
	case !slices.ContainsFunc(runs, record.Run.Built):
		return cli.Usagef("no contender could be started; %s: %s", runs[0].Contender, runs[0].Reason)
	case !slices.ContainsFunc(runs, record.Run.Counts):
		return errors.New("no contender completed the work; see the report")
	case o.complete:
		return incomplete(e, runs)
	}
	return nil
}

// incomplete returns an error for the first run that is not OK. It also returns an error if the
// contenders printed different answers and the right answer is unknown.
func incomplete(e experiment.Experiment, runs []record.Run) error {
	for _, r := range runs {
		if r.Status != record.OK {
			return fmt.Errorf("-complete: contender %s has status %s: %s", r.Contender, r.Status, r.Reason)
		}
	}
	if differ := report.Outputs(e, []record.Session{{Runs: runs}}); len(differ) > 0 {
		return fmt.Errorf("-complete: %s", differ[0])
	}
	return nil
}

// quoted returns args with quotes around each word that a shell would split or expand.
func quoted(args []string) (all []string) {
	for _, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n*?[]!$&|;<>(){}\"'\\`#~") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		all = append(all, arg)
	}
	return all
}

// log saves runs as they end.
type log interface {
	Add(record.Run) error
	Close() error
}

// forgetful is the log of a session without a folder. It saves nothing.
type forgetful struct{}

func (forgetful) Add(record.Run) error { return nil }
func (forgetful) Close() error         { return nil }

// openLog opens the results folder, and saves in it the data that a report needs besides the runs.
func (o options) openLog(e experiment.Experiment, env record.Environment) (log, error) {
	if o.out == "" {
		return forgetful{}, nil
	}
	l, err := record.Create(o.out, e.Name, env)
	if err != nil {
		return nil, err
	}
	if err := experiment.Save(o.out, e); err != nil {
		return nil, errors.Join(fmt.Errorf("results folder: %w", err), l.Close())
	}
	return l, nil
}

// absolute returns the absolute path of a folder. It returns "" if folder is empty, or if the path
// cannot be determined.
func absolute(folder string) string {
	if folder == "" {
		return ""
	}
	path, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	return path
}
