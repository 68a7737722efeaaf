package prove

import (
	"bytes"
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

// commandSubject is the name of the one subject that commands have.
const commandSubject = "the command"

// Commands compares commands with the first of them.
func Commands(ctx context.Context, o Options) (*Result, error) {
	r := o.start(ctx)
	for i, args := range o.Commands {
		side, err := commandSide(args)
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
		var err error
		if l, err = openLog(o.Out, key{Schema: logSchema, Programs: r.programs()}); err != nil {
			return nil, err
		}
		defer l.close()
	}
	if err := o.compareOutput(ctx, r); err != nil {
		return nil, err
	}
	for _, c := range r.Comparisons {
		if len(c.Equality.Unequal) > 0 {
			r.judge(&o)
			return r, nil
		}
	}
	subject := measure.Subject{Name: commandSubject, Run: func(ctx context.Context, side int) (map[string]float64, error) {
		out, err := o.execute(ctx, side)
		return out.Figures, err
	}}
	data, err := r.measured(ctx, o.plan([]measure.Subject{subject}, len(o.Commands), l))
	for i := range r.Comparisons {
		r.Comparisons[i].Subjects = []Subject{{
			Name: commandSubject, Rounds: data.Rounds(commandSubject), Metrics: data.Metrics(commandSubject, i+1),
		}}
	}
	r.judge(&o)
	return r, err
}

// commandSide describes a command by its line and by its program's contents.
func commandSide(args []string) (Side, error) {
	name := strings.Join(args, " ")
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return Side{}, fmt.Errorf("there is no program %s; build it first, or write its path", args[0])
	}
	sum, err := gobench.HashFile(path)
	return Side{Name: name, Programs: map[string]Program{name: {Binary: sum}}}, err
}

// execute runs a command once. It must succeed.
func (o *Options) execute(ctx context.Context, side int) (process.Outcome, error) {
	args := o.Commands[side]
	out, err := process.System{Dir: o.Dir}.Execute(ctx, process.Command{Args: args, Stdin: o.Stdin, Timeout: gobench.Timeout})
	switch {
	case err != nil:
		return out, err
	case out.TimedOut:
		return out, fmt.Errorf("%s takes more than %v", strings.Join(args, " "), gobench.Timeout)
	case out.Failure != "":
		return out, fmt.Errorf("%s fails: %s", strings.Join(args, " "), gobench.Complaint(out.Stderr, errors.New(out.Failure)))
	}
	return out, nil
}

// compareOutput compares what the commands print. The base runs twice, to see whether it prints the same at all.
func (o *Options) compareOutput(ctx context.Context, r *Result) error {
	if len(o.Equal) == 0 {
		return nil
	}
	o.Show.Stage("comparing what the commands print")
	first, err := o.execute(ctx, 0)
	if err != nil {
		return err
	}
	second, err := o.execute(ctx, 0)
	if err != nil {
		return err
	}
	stable := bytes.Equal(first.Stdout, second.Stdout)
	for i := range r.Comparisons {
		e := &r.Comparisons[i].Equality
		if !stable {
			e.Left = append(e.Left, "the base does not print the same each time")
			continue
		}
		out, err := o.execute(ctx, i+1)
		if err != nil {
			return err
		}
		switch {
		case !bytes.Equal(first.Stdout, out.Stdout):
			e.Unequal = append(e.Unequal, difference(first.Stdout, out.Stdout))
		case len(out.Stdout) == 0:
			e.Left = append(e.Left, "neither prints anything")
		default:
			e.raise(Output, fmt.Sprintf("%s printed", counted(len(out.Stdout), "byte")))
		}
	}
	return nil
}

// difference says where two outputs differ first.
func difference(was, now []byte) string {
	before, after := bytes.Split(was, []byte("\n")), bytes.Split(now, []byte("\n"))
	for i := range before {
		if i >= len(after) {
			return fmt.Sprintf("it prints %d lines, not %d", len(after), len(before))
		}
		if !bytes.Equal(before[i], after[i]) {
			return fmt.Sprintf("line %d of what it prints is %s, not %s", i+1, shortened(after[i]), shortened(before[i]))
		}
	}
	return fmt.Sprintf("it prints %d lines, not %d", len(after), len(before))
}

func shortened(line []byte) string {
	const most = 40
	if letters := []rune(string(line)); len(letters) > most {
		return fmt.Sprintf("%q…", string(letters[:most]))
	}
	return fmt.Sprintf("%q", line)
}

// CheckStdin tells whether the file for -stdin can be read.
func CheckStdin(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder", name)
	}
	return nil
}
