package lab

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

const measureUsage = `usage: coppice lab measure LIST [flags]

LIST is a file with one command per line: coppice lab run EXPERIMENT -out DIR ... or coppice lab index DIR.
NAME=VALUE before a command sets an environment variable. Lines that begin with # are comments. Folders are
relative to the root of the repository. It runs each command whose results are missing, incomplete,
measured from source code that has changed since, or measured on a busy machine, so starting it again
resumes. Replaced sessions are moved to DIR/replaced.jsonl.
`

// measureFlags holds the flags of coppice lab measure.
type measureFlags struct {
	dry, again, busy bool
	wait             time.Duration
}

// Measure implements coppice lab measure, which runs the commands of a list, one after another.
func Measure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o measureFlags
	flags := flag.NewFlagSet("coppice lab measure", flag.ContinueOnError)
	flags.BoolVar(&o.dry, "n", false, "measure nothing; print what would be measured, and why")
	flags.BoolVar(&o.again, "again", false, "repeat all measurements")
	flags.BoolVar(&o.busy, "busy", false, "measure on a busy machine too, without waiting; reports note this")
	o.wait = 30 * time.Minute
	flags.Var(patience{&o.wait}, "wait-for-quiet", "wait at most this `time` before each command for an idle machine")
	if err := cli.ParseFlags(flags, measureUsage, args, stdout); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return cli.Usagef("coppice lab measure takes one file with commands, got %d arguments; try: coppice lab measure LIST", flags.NArg())
	}
	jobs, err := readJobs(flags.Arg(0))
	if err != nil {
		return cli.Usage(err)
	}
	dir, err := root()
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	if err := prepareJobs(jobs); err != nil {
		return cli.Usage(err)
	}
	if o.again && !o.dry {
		for _, j := range jobs {
			if err := j.replace(func(record.Session) bool { return false }); err != nil {
				return err
			}
		}
	}
	return o.measureAll(ctx, jobs, stdout, stderr)
}

// measureAll runs the commands. It continues after a command that fails, but stops if the machine
// is busy.
func (o measureFlags) measureAll(ctx context.Context, jobs []*job, stdout, stderr io.Writer) error {
	var failed []string
	changed := false
	for _, j := range jobs {
		why, err := j.lacks(o)
		switch {
		case err != nil:
			return err
		case j.index && !o.dry && len(failed) == 0:
			if err := Index(ctx, j.args, stdout, stderr); err != nil {
				return err
			}
			continue
		case j.index:
			continue
		case why == "":
			fmt.Fprintf(stdout, "up to date: %s\n", j)
			continue
		}
		fmt.Fprintf(stdout, "%s: %s\n", why, j)
		changed = true
		if o.dry {
			continue
		}
		err = o.run(ctx, j, jobs, stderr)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted; start again to resume")
		case errors.Is(err, errBusy):
			return err
		case err != nil:
			fmt.Fprintf(stderr, "coppice: %s: %v\n", j, err)
			failed = append(failed, j.String())
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("%d commands failed; start again to retry: %s", len(failed), strings.Join(failed, "; "))
	case !changed:
		fmt.Fprintln(stdout, "nothing to measure")
	}
	return nil
}

// run deletes the outdated sessions of a job, and measures a new session.
func (o measureFlags) run(ctx context.Context, j *job, jobs []*job, stderr io.Writer) error {
	err := j.replace(func(s record.Session) bool {
		return slices.ContainsFunc(jobs, func(other *job) bool { return other.options.out == j.options.out && other.doubt(s, o) == "" })
	})
	if err != nil {
		return err
	}
	for _, setting := range j.env {
		name, value, _ := strings.Cut(setting, "=")
		was, had := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return err
		}
		defer func() {
			if had {
				_ = os.Setenv(name, was)
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	j.options.wait, j.options.busy, j.options.complete = o.wait, o.busy, true
	if o.busy {
		j.options.wait = 0
	}
	return j.options.start(ctx, j.experiment, j.args, io.Discard, stderr)
}

// readJobs reads a list of commands from a file.
func readJobs(name string) (all []*job, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		j, err := parseJob(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, j)
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, fmt.Errorf("no commands in %s", name)
	}
	return all, lines.Err()
}
