// Package runner executes contenders in interleaved rounds and returns the result of each run. It
// is the second stage of the lab's pipeline. It measures, and prints nothing.
package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/sources"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// An Executor executes the processes of a plan and checks what is installed. Machine is the real
// implementation; tests use others.
type Executor interface {
	process.Executor
	// Find reports whether a command, library or header is installed.
	Find(experiment.Need) bool
}

// A Plan describes what to run.
type Plan struct {
	Session    string
	Experiment experiment.Experiment
	Contenders []experiment.Contender
	Depth      int
	Runs       int
	Warmup     int
	Seed       uint64 // determines the order of contenders within rounds
	Folder     string // existing folder for binaries and reports
	Source     Source
}

// entrant is a contender that has been prepared to run. If the preparation failed, status and
// reason are set.
type entrant struct {
	experiment.Contender
	args    []string
	report  string // the file to which the contender writes its own figures
	program string // hash of the program, as in record.Run
	sources string // hash of the sources, as in record.Run
	status  record.Status
	reason  string
}

// Run executes the plan. It passes each run to emit as soon as the run has ended, and calls step
// before each process starts. It returns early if ctx is done or emit fails; by then, all finished
// runs have been emitted.
func Run(ctx context.Context, x Executor, p Plan, step func(what string), emit func(record.Run) error) error {
	expected, err := p.answers(ctx, x)
	if err != nil {
		return err
	}
	before := sources.New(p.Source.Root)
	var entrants []entrant
	builds := map[string]build{}
	for i, c := range p.Contenders {
		if err := ctx.Err(); err != nil {
			return err
		}
		step("building " + c.Name)
		e := prepare(ctx, x, p, c, i, builds)
		e.sources = before.Of(c)
		entrants = append(entrants, e)
	}
	if err := ctx.Err(); err != nil {
		return err // an interrupted build is not a failure of the contender
	}
	for _, e := range entrants {
		if e.status != "" {
			if err := emit(p.blank(e, 1)); err != nil {
				return err
			}
		}
	}
	for round := 1 - p.Warmup; round <= p.Runs; round++ {
		if round == 1 {
			settle(entrants, before, sources.New(p.Source.Root))
		}
		for _, i := range p.order(round) {
			e := &entrants[i]
			if e.status != "" {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			step(fmt.Sprintf("round %d of %d: %s", max(round, 0), p.Runs, e.Name))
			r := p.execute(ctx, x, *e, expected[p.answerOf(e.Contender)], round)
			if ctx.Err() != nil {
				return ctx.Err() // an interrupted run does not count
			}
			if r.Status != record.OK {
				e.status, e.reason = r.Status, r.Reason // it would fail again
				r.Round = max(r.Round, 1)
			}
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle hashes the sources again after the builds and the warm-up. Builds and runs may create
// files in source folders. These files remain, so a report would otherwise treat them as a change
// of the sources.
func settle(entrants []entrant, before, after *sources.Tree) {
	for i, e := range entrants {
		entrants[i].sources = after.Since(before, e.Contender)
	}
}

// order returns the order of the contenders in a round. The order is random, so that a contender
// does not always run after the same predecessor. It is determined by the seed, so that a session
// can be repeated.
func (p Plan) order(round int) []int {
	return rand.New(rand.NewPCG(p.Seed, uint64(round))).Perm(len(p.Contenders))
}

// A build is the result of building a contender: the path of the program, or the error.
type build struct {
	bin string
	err error
}

// prepare checks the needs of a contender and builds it. Contenders with the same build command
// share the program.
func prepare(ctx context.Context, x Executor, p Plan, c experiment.Contender, i int, builds map[string]build) entrant {
	e := entrant{Contender: c, report: filepath.Join(p.Folder, fmt.Sprintf("report-%d.json", i))}
	for _, need := range c.Needs {
		if !x.Find(need) {
			e.status, e.reason = record.Missing, fmt.Sprintf("%s is not installed; install the package %s", need.What(), need.Package)
			return e
		}
	}
	command := strings.Join(c.Build, "\x00")
	b, built := builds[command]
	if !built {
		b.bin = filepath.Join(p.Folder, fmt.Sprintf("bin-%d", i))
		if len(c.Build) > 0 {
			_, b.err = process.Succeed(ctx, x, process.Command{Args: p.fill(c.Build, map[string]string{experiment.Bin: b.bin}), Env: p.Source.Build, Timeout: 10 * time.Minute})
		}
		builds[command] = b
	}
	values := map[string]string{experiment.Bin: b.bin, experiment.Report: e.report}
	if c.Workers > 0 {
		values[experiment.Workers] = strconv.Itoa(c.Workers)
	}
	e.args = p.fill(c.Run, values)
	if b.err == nil {
		b.err = checkBuilt(p.Source.Root, c)
	}
	if b.err != nil {
		e.status, e.reason = record.Unbuilt, b.err.Error()
		return e
	}
	e.program = programOf(p.Source.Root, c, b.bin)
	return e
}

func (p Plan) timeout() time.Duration { return time.Duration(p.Experiment.Timeout) * time.Second }

// fill replaces the placeholders in a command with their values. If no number of workers is set,
// words that contain {workers} are dropped.
func (p Plan) fill(words []string, values map[string]string) []string {
	all := maps.Clone(values)
	all[experiment.Depth] = strconv.Itoa(p.Depth)
	var args []string
	for _, w := range words {
		if experiment.Uses([]string{w}, experiment.Workers) && all[experiment.Workers] == "" {
			continue
		}
		args = append(args, experiment.Fill(w, all))
	}
	return args
}

// blank returns a run of the entrant with all fields set except its figures.
func (p Plan) blank(e entrant, round int) record.Run {
	return record.Run{
		Schema: record.Schema, Experiment: p.Experiment.Name, Contender: e.Name,
		Language: e.Language, Class: e.Class, Depth: p.Depth, Workers: e.Workers, Env: e.Env,
		Session: p.Session, Round: round, Started: time.Now().UTC(),
		Revision: p.Source.Revision, Dirty: p.Source.Dirty, Program: e.program, Sources: e.sources,
		Status: e.status, Reason: e.reason,
	}
}

// execute runs the entrant once and checks its output.
func (p Plan) execute(ctx context.Context, x Executor, e entrant, want answer, round int) record.Run {
	r := p.blank(e, round)
	c := process.Command{Args: e.args, Env: e.Env, Timeout: p.timeout()}
	out, err := x.Execute(ctx, c)
	switch {
	case err != nil:
		r.Status, r.Reason = record.Crashed, err.Error()
	case out.TimedOut:
		r.Status, r.Reason = record.Timeout, c.TookTooLong()
	case out.Failure != "":
		r.Status, r.Reason = record.Crashed, strings.TrimSuffix(out.Failure+": "+process.FirstLine(out.Stderr), ": ")
	case want.output != nil && !bytes.Equal(out.Stdout, want.output):
		r.Status, r.Reason = record.Wrong, "printed "+difference(out.Stdout, want.output)
	default:
		r.Status, r.Figures = record.OK, maps.Clone(out.Figures)
		err := addReport(e, r.Figures, want)
		if err == nil {
			err = p.ranked(r.Figures)
		}
		if err != nil {
			r.Status, r.Reason = record.Wrong, err.Error()
		}
		if want.output == nil {
			r.Output = shortSum(out.Stdout)
		}
	}
	return r
}

// addReport adds the figures that the contender has reported. A metric that the lab measures itself
// is not overwritten. addReport returns an error if the reported figures show that the contender
// did not do the work.
func addReport(e entrant, figures map[string]float64, want answer) error {
	if !e.Reports {
		return nil
	}
	data, err := os.ReadFile(e.report)
	if err != nil {
		return fmt.Errorf("did not write its report: %w", err)
	}
	own, err := parseReport(data)
	if err != nil {
		return fmt.Errorf("wrote a report that is not a JSON object of numbers: %w", err)
	}
	for metric, v := range own {
		if _, measured := figures[metric]; !measured {
			figures[metric] = v
		}
	}
	least, ok := want.least[e.Least]
	if e.Least != "" && !ok {
		return fmt.Errorf("is declared with least %q, which the expected command does not report", e.Least)
	}
	if own["bytes"] < least {
		return fmt.Errorf("allocated %.0f bytes; the work needs at least %.0f, so it was not done", own["bytes"], least)
	}
	return os.Remove(e.report)
}

// parseReport parses the figures that a contender has reported. Errors name the figure.
func parseReport(data []byte) (map[string]float64, error) {
	var said map[string]any
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, datafile.JSON(err)
	}
	figures := map[string]float64{}
	for _, metric := range slices.Sorted(maps.Keys(said)) {
		v, ok := said[metric].(float64)
		if !ok {
			return nil, fmt.Errorf("%.60q: want a number", metric)
		}
		if metric == "" || strings.ContainsFunc(metric, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
			return nil, fmt.Errorf("invalid metric name %.60q: must be one word", metric)
		}
		figures[metric] = v
	}
	return figures, nil
}

// ranked returns an error if the figures lack the ranking metric.
func (p Plan) ranked(figures map[string]float64) error {
	if _, ok := figures[p.Experiment.Metric]; ok || p.Experiment.Metric == "" {
		return nil
	}
	return fmt.Errorf("has no %q, the metric that ranks the experiment; it has %s", p.Experiment.Metric, strings.Join(slices.Sorted(maps.Keys(figures)), ", "))
}

// difference describes the first difference between the actual output and the expected output.
func difference(got, want []byte) string {
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := lineOf(gotLines, i), lineOf(wantLines, i)
		if g != w {
			return fmt.Sprintf("%q in line %d; expected %q", g, i+1, w)
		}
	}
	return "something else"
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
