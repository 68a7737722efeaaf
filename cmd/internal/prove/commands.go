package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// commandSubject is the name of the only subject if the commands have no parameters. Otherwise the
// names of all subjects begin with it.
const commandSubject = "the command"

// Commands compares each command with the first one. It defers the clean-up before it starts the
// set-up, so that the clean-up also runs if the set-up fails halfway.
func Commands(ctx context.Context, o Options) (r *Result, err error) {
	c := commands{Options: &o, variants: o.variants(), exits: map[string]string{}}
	r = o.start(ctx)
	for i, args := range o.Commands {
		side, err := commandSide(args, c.variants)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			r.Base = side
			continue
		}
		r.Comparisons = append(r.Comparisons, Comparison{Head: side, Equality: Equality{Level: Unproven}})
	}
	var l *log
	if o.Out != "" {
		k := key{Schema: logSchema, Programs: r.programs()}
		if o.Around.isSet() {
			k.Around = &o.Around
		}
		if l, err = openLog(o.Out, k); err != nil {
			return nil, err
		}
		defer l.close()
	}
	defer func() {
		if e := o.cleanUp(ctx); err == nil {
			err = e
		}
	}()
	if err := o.setUp(ctx); err != nil {
		return nil, err
	}
	if err := c.compareOutput(ctx, r); err != nil {
		return nil, err
	}
	for _, c := range r.Comparisons {
		if len(c.Equality.Unequal) > 0 {
			r.judge(&o)
			return r, nil
		}
	}
	data, err := r.measured(ctx, o.plan(c.subjects(), len(o.Commands), l, nil))
	for i := range r.Comparisons {
		for _, v := range c.variants {
			r.Comparisons[i].Subjects = append(r.Comparisons[i].Subjects, Subject{
				Name: v.name, Rounds: data.Rounds(v.name), Metrics: data.Metrics(v.name, i+1),
			})
		}
	}
	r.judge(&o)
	return r, err
}

// commandSide returns the description of a command: the command line and the hash of its program,
// or the hashes of all its programs if a parameter selects the program. Because of the hashes, an
// interrupted proof cannot continue with a program that was rebuilt in the meantime.
func commandSide(args []string, variants []variant) (Side, error) {
	name := strings.Join(args, " ")
	side := Side{Name: name, Programs: map[string]Program{}}
	for _, v := range variants {
		program := v.values.Replace(args[0])
		path, err := exec.LookPath(program)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return Side{}, fmt.Errorf("program %s not found; build it first, or give its path", program)
		}
		sum, err := gobench.HashFile(path)
		if err != nil {
			return Side{}, err
		}
		if program == args[0] {
			side.Programs[name] = Program{Binary: sum}
			break
		}
		side.Programs[name+" with "+program] = Program{Binary: sum}
	}
	return side, nil
}

// A commands is the state of a comparison of commands.
type commands struct {
	*Options
	variants []variant
	exits    map[string]string // how the first run of each command line ended
}

// subjects returns the subjects to measure: the commands with each combination of parameter values.
func (c *commands) subjects() (all []measure.Subject) {
	for _, v := range c.variants {
		all = append(all, measure.Subject{Name: v.name, Run: func(ctx context.Context, side int) (map[string]float64, error) {
			out, err := c.execute(ctx, v, side, process.Dropped)
			return out.Figures, err
		}})
	}
	return all
}

// execute runs the line of -prepare, and then the command once. The command must succeed or, with
// AnyExit, end as in its first run. A run that ends differently has done different work, so its
// time is not comparable.
func (c *commands) execute(ctx context.Context, v variant, side int, sink process.Sink) (process.Outcome, error) {
	args := v.args(c.Commands[side])
	if err := c.shell(ctx, "-prepare", v.values.Replace(lineOf(c.Around.Prepare, side)), gobench.Timeout); err != nil {
		return process.Outcome{}, err
	}
	line := strings.Join(args, " ")
	out, err := process.System{Dir: c.Dir}.Execute(ctx, process.Command{Args: args, Stdin: v.values.Replace(c.Stdin), Timeout: gobench.Timeout, Sink: sink})
	switch {
	case err != nil:
		return out, err
	case out.TimedOut:
		return out, fmt.Errorf("%s took more than %v", line, gobench.Timeout)
	case out.Failure != "" && !(c.AnyExit && exited(out)):
		return out, fmt.Errorf("%s fails: %s", line, gobench.Complaint(out.Stderr, errors.New(out.Failure)))
	}
	if before, ran := c.exits[line]; ran && before != ending(out) {
		return out, fmt.Errorf("%s ended with %s, but its first run ended with %s", line, ending(out), before)
	}
	c.exits[line] = ending(out)
	return out, nil
}

// exited reports whether a process exited on its own, rather than being killed by a signal.
func exited(out process.Outcome) bool { return strings.HasPrefix(out.Failure, "exit status ") }

// ending describes how a process ended.
func ending(out process.Outcome) string {
	if out.Failure == "" {
		return "exit status 0"
	}
	return out.Failure
}

// CheckStdin returns an error if the file that -stdin names cannot be read.
func CheckStdin(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, not a file", name)
	}
	return nil
}
