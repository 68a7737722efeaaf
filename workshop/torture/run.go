package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A plan contains the settings of a run.
type plan struct {
	short    bool
	parts    part // the selected parts
	checks   int  // number of programs compared with each model in a plain run
	fuzzTime time.Duration
	soakTime time.Duration // duration in a plain run; a tenth of it under other conditions
	logs     string        // folder for logs
	packages []*pkg
	stdout   io.Writer
}

// A result contains the results of one condition.
type result struct {
	condition *condition
	parts     part
	tests     int   // number of passed tests, including subtests
	skipped   int   // number of skipped tests
	programs  int64 // number of random programs compared with a model
	inputs    int64 // number of inputs of fuzz targets
	soaked    int64 // number of operations of the soak test
	took      time.Duration
	failures  []string // one line for each failure
	notes     []string // omitted work, with reasons
	log       string   // path of the log file
}

// partsOf returns the parts that the plan runs under a condition.
func (p *plan) partsOf(c *condition) part {
	if p.short {
		return c.short & p.parts
	}
	return c.parts & p.parts
}

// run runs all parts of a condition. It continues after a failure.
func (p *plan) run(ctx context.Context, c *condition) *result {
	r := &result{condition: c, parts: p.partsOf(c), log: filepath.Join(p.logs, c.name+".txt")}
	start := time.Now()
	defer func() { r.took = time.Since(start) }()
	if len(c.emulator) > 0 {
		if _, err := exec.LookPath(c.emulator[0]); err != nil {
			r.failures = []string{c.emulator[0] + " is not installed; make deps does that"}
			return r
		}
	}
	log, err := os.Create(r.log)
	if err != nil {
		r.failures = []string{err.Error()}
		return r
	}
	defer log.Close()
	if r.parts&tests != 0 {
		p.test(ctx, r, log)
	}
	if r.parts&fuzz != 0 {
		p.fuzz(ctx, r, log)
	}
	if r.parts&soak != 0 {
		p.soak(ctx, r, log)
	}
	if ctx.Err() != nil {
		r.failures = append(r.failures, "interrupted")
	}
	return r
}

// test runs the tests of all packages, with the requested number of random programs to compare with
// each model. In a short run, it tests only the packages that the condition lists, if it lists any.
func (p *plan) test(ctx context.Context, r *result, log io.Writer) {
	c := r.condition
	var plain, withModels []string
	for _, pkg := range p.packages {
		if p.short && len(c.among) > 0 && !slices.Contains(c.among, pkg.short()) {
			continue
		}
		if pkg.models() {
			withModels = append(withModels, pkg.ImportPath)
		} else {
			plain = append(plain, pkg.ImportPath)
		}
	}
	args := []string{"test", "-json", "-count=1", "-timeout=60m"}
	if p.short || len(c.emulator) > 0 {
		args = append(args, "-short")
	}
	args = append(append(args, c.flags...), c.execFlag()...)
	for _, group := range []struct{ packages, flags []string }{
		{withModels, []string{fmt.Sprintf("-rapid.checks=%d", c.fewer(p.checks))}},
		{plain, nil},
	} {
		if len(group.packages) == 0 {
			continue
		}
		events := &events{result: r}
		line := append(append(args[:len(args):len(args)], group.packages...), group.flags...)
		if err := p.command(ctx, c, line, log, events.line); err != nil && len(events.failed) == 0 {
			r.failures = append(r.failures, "go test: "+err.Error())
		}
	}
}

// fuzz runs each fuzz target for the time that the plan specifies.
func (p *plan) fuzz(ctx context.Context, r *result, log io.Writer) {
	c := r.condition
	for _, pkg := range p.packages {
		for _, target := range pkg.targets {
			line := []string{"test", "-run=^$", "-fuzz=^" + target + "$", "-fuzztime=" + p.fuzzTime.String(), "-fuzzminimizetime=10x", "-timeout=60m"}
			line = append(append(append(line, c.flags...), c.execFlag()...), pkg.ImportPath)
			var inputs int64
			var found, late bool
			err := p.command(ctx, c, line, log, func(text string) {
				readCount(execs, text, &inputs)
				found = found || strings.Contains(text, "Failing input written to")
				late = late || strings.TrimSpace(text) == "context deadline exceeded"
			})
			r.inputs += inputs
			switch {
			case err == nil || ctx.Err() != nil:
			case late && !found: // golang.org/issue/75804, until Go 1.27
				r.notes = append(r.notes, pkg.short()+" "+target+": Go's fuzzer took the end of its time for a failure, and found none")
			default:
				r.failures = append(r.failures, fmt.Sprintf("%s: %s: %v; the input is below its testdata/fuzz", pkg.short(), target, err))
			}
		}
	}
}

// soak runs the soak test. Under conditions other than plain, it takes a tenth of the time.
func (p *plan) soak(ctx context.Context, r *result, log io.Writer) {
	c, length := r.condition, p.soakTime
	if c.name != "plain" {
		length /= 10
	}
	line := append([]string{"run"}, c.flags...)
	line = append(append(line, c.execFlag()...), "./workshop/torture/soak", "-for", length.String())
	var last string
	err := p.command(ctx, c, line, log, func(text string) {
		readCount(operations, text, &r.soaked)
		if strings.HasPrefix(text, "soak: ") {
			last = strings.TrimSpace(text)
		}
	})
	if err != nil && ctx.Err() == nil {
		r.failures = append(r.failures, fmt.Sprintf("%s (%v)", last, err))
	}
}

// command runs the go command in the environment of a condition. It writes the output to the log,
// and passes each line of it to read.
func (p *plan) command(ctx context.Context, c *condition, line []string, log io.Writer, read func(string)) error {
	fmt.Fprintf(log, "$ %s\n", strings.Join(append(append(append([]string{}, c.goenv...), "go"), line...), " "))
	cmd := exec.CommandContext(ctx, "go", line...)
	cmd.Env = append(os.Environ(), c.goenv...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	lines := &lineWriter{line: func(text string) {
		if text, ok := outputOf(text); ok {
			io.WriteString(log, text)
		}
		read(text)
	}}
	cmd.Stdout, cmd.Stderr = lines, lines
	return cmd.Run()
}
