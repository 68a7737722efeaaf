package prove

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// ErrNoValgrind means that instructions cannot be counted on this machine.
var ErrNoValgrind = errors.New("-instructions needs valgrind, which is not installed")

// HasValgrind reports whether instructions can be counted.
func HasValgrind() bool {
	_, err := exec.LookPath("valgrind")
	return err == nil
}

// countInstructions adds to each subject the number of instructions per operation, measured without
// the collector and on one processor. The counts repeat to within a tenth of a percent. They
// corroborate a result but do not decide it, because they reflect neither caches nor the collector.
func (p *proof) countInstructions(ctx context.Context) error {
	for j, b := range p.all {
		p.Show.Stage("counting instructions of " + b.Label())
		before, err := instructions(ctx, b, p.sides[0])
		if err != nil {
			return err
		}
		for i, head := range p.sides[1:] {
			after, err := instructions(ctx, b, head)
			if err != nil {
				return err
			}
			m := measure.Metric{
				Name: "instructions", Base: []float64{before}, Head: []float64{after},
				Before: before, After: after, Outcome: measure.Open,
			}
			if before > 0 {
				m.Ratio = after / before
			}
			s := &p.result.Comparisons[i].Subjects[j]
			s.Metrics = append(s.Metrics, m)
		}
	}
	return nil
}

// instructions returns the number of instructions of one operation. It counts a run of five
// operations and a run of three, and returns half the difference, so the start of the process
// cancels out. So does the single operation that package testing runs first in both cases. The
// collector is off and there is only one processor, because the times at which the collector runs
// would change the count.
func instructions(ctx context.Context, b *gobench.Benchmark, a *gobench.Tree) (float64, error) {
	var of [2]float64
	for i, n := range []int{3, 5} {
		out, err := process.System{Dir: a.Where(b.Package)}.Execute(ctx, process.Command{
			Args: []string{
				"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", a.Binaries[b.Package],
				"-test.run=^$", "-test.count=1", "-test.timeout=0", "-test.bench=" + gobench.Pattern(a.Alias.Special(b.Name)), "-test.benchtime=" + gobench.Times(n),
			},
			Env:     map[string]string{"GOGC": "off", "GOMAXPROCS": "1"},
			Timeout: gobench.Timeout,
		})
		if err != nil {
			return 0, err
		}
		if out.TimedOut || out.Failure != "" {
			return 0, fmt.Errorf("valgrind on %s in %s: %s", b.Label(), a.Name, gobench.FailedLine(out.Stdout, out.Stderr, out.Failure))
		}
		if of[i], err = references(out.Stderr); err != nil {
			return 0, err
		}
	}
	return (of[1] - of[0]) / 2, nil
}

var instructionLine = regexp.MustCompile(`I\s+refs:\s+([0-9,]+)`)

// references parses the instruction count in valgrind's summary.
func references(stderr []byte) (float64, error) {
	found := instructionLine.FindSubmatch(stderr)
	if found == nil {
		return 0, errors.New("valgrind printed no instruction count; version 3.19 or later is required")
	}
	return strconv.ParseFloat(strings.ReplaceAll(string(found[1]), ",", ""), 64)
}
