// Package measure runs programs in interleaved rounds and compares their metrics: counts exactly,
// and times by the paired tests of package paired.
//
// The programs that are compared are called sides. Side 0 is the base, and each other side is a
// head.
//
// In each round, every side runs once, and the order of the sides is random. The statistical test
// relies on this: if two sides are the same program, the two values of a pair could have been
// swapped with equal probability, whatever else the machine was doing. An alternating order (ABBA)
// cancels a drift, but it makes two rounds depend on each other. A load that comes and goes in step
// with them then looks like a difference: in a trial, 42 of 200 comparisons of equal programs
// claimed one (docs/decisions/0040). The order of the subjects is random, too.
//
// A loss may be measured twice: Plan.Confirm names the losses that are only accepted if a second
// set of rounds, as large as the first, shows them again. The second test does not use the first
// rounds. They were selected because they show a loss, so they overstate it.
package measure

import (
	"context"
	"math/rand/v2"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Subject is a piece of work that all sides do, such as a benchmark.
type Subject struct {
	Name string
	// Run does the work once on the given side, and returns the measured values by metric.
	Run func(ctx context.Context, side int) (map[string]float64, error)
}

// A Run is the result of running a subject once on one side.
type Run struct {
	Subject string             `json:"subject"`
	Side    int                `json:"side"`
	Round   int                `json:"round"` // index of the round, from 0
	Order   int                `json:"order"` // position of the run in its round, from 0
	Figures map[string]float64 `json:"figures"`
}

// A Plan specifies what to measure, and when to stop.
type Plan struct {
	Subjects  []Subject
	Sides     int // number of sides, at least 2
	Looks     []stats.Look
	MinEffect float64                            // smallest effect worth having; 0.05 is 5 %
	Decided   func(of []Metric) bool             // whether a side's result can no longer change
	Confirm   func(of []Metric) []string         // metrics of a side whose losses must be confirmed; nil for none
	Better    func(name string) metric.Direction // direction of a metric that benchmarks report; if nil, these are left out
	Seed      uint64
	Done      []Run                               // runs of an earlier, interrupted measurement
	Save      func(Run) error                     // called for each new run; may be nil
	Step      func(round, of int, subject string) // called before each new run; may be nil
}

// A Data contains the values that were measured in all runs of a plan.
type Data struct {
	plan  *Plan
	runs  map[string][][]Run // runs of each subject and side, in the order of rounds
	first map[string]int     // number of rounds of a subject before those that confirm a loss; 0 without these
	again map[testOf]bool    // tests whose losses the later rounds are to confirm
	tests map[testOf]tested  // results of the tests of all runs; nil if runs were added since
}

// complete returns the number of rounds of a subject in which all sides ran. If a measurement is
// interrupted within a round, some sides have one more run than others. These runs have no
// counterparts, so their round is not counted.
func (d *Data) complete(subject string) int {
	least := -1
	for _, runs := range d.runs[subject] {
		if least < 0 || len(runs) < least {
			least = len(runs)
		}
	}
	return max(least, 0)
}

// Rounds returns the number of complete rounds of a subject, not including the rounds that confirm
// a loss.
func (d *Data) Rounds(subject string) int {
	if n := d.first[subject]; n > 0 {
		return n
	}
	return d.complete(subject)
}

// Values returns a side's values of a metric in the rounds that Rounds counts. Rounds without the
// metric are left out.
func (d *Data) Values(subject string, side int, metric string) []float64 {
	return values(d.runs[subject][side][:d.Rounds(subject)], metric)
}

// later returns a side's values of a metric in the rounds that confirm a loss.
func (d *Data) later(subject string, side int, metric string) []float64 {
	return values(d.runs[subject][side][d.Rounds(subject):d.complete(subject)], metric)
}

func values(of []Run, metric string) (values []float64) {
	for _, r := range of {
		if v, ok := r.Figures[metric]; ok {
			values = append(values, v)
		}
	}
	return values
}

// Measure runs the plan. At each look, it stops measuring the subjects that are decided. At the
// end, it measures again each subject that shows a loss. If the context ends or a run fails, it
// returns the data that is complete so far together with the error.
func Measure(ctx context.Context, p Plan) (*Data, error) {
	s := session{
		Plan: &p, earlier: map[runOf]Run{}, decided: map[string]bool{},
		data: &Data{plan: &p, runs: map[string][][]Run{}, first: map[string]int{}, again: map[testOf]bool{}},
	}
	for _, subject := range p.Subjects {
		s.data.runs[subject.Name] = make([][]Run, p.Sides)
	}
	for _, r := range p.Done {
		s.earlier[runOf{r.Subject, r.Side, r.Round}] = r
	}
	s.random = rand.New(rand.NewPCG(p.Seed, 0))
	round := 0
	for i, look := range p.Looks {
		for ; round < look.N; round++ {
			if err := s.round(ctx, look.N, func(subject string) bool { return !s.decided[subject] }); err != nil {
				return s.data, err
			}
		}
		if i == len(p.Looks)-1 || s.allDecided() {
			break
		}
	}
	return s.data, s.confirm(ctx)
}

// A session is the state of a measurement.
type session struct {
	*Plan
	data    *Data
	earlier map[runOf]Run
	random  *rand.Rand
	decided map[string]bool // subjects that need no more runs
}

// A runOf identifies a run.
type runOf struct {
	subject     string
	side, round int
}

// round runs one round of the subjects that the function in selects. The parameter of is the number
// of rounds that the progress display shows.
//
// All subjects of a round share one order of sides, and the runs of a subject follow each other
// directly. The two values of a pair are therefore close in time, and a drift between them is
// small.
func (s *session) round(ctx context.Context, of int, in func(subject string) bool) error {
	order := s.random.Perm(s.Sides)
	s.data.tests = nil
	for _, i := range s.random.Perm(len(s.Subjects)) {
		subject := s.Subjects[i]
		if !in(subject.Name) {
			continue
		}
		runs := s.data.runs[subject.Name]
		round := len(runs[0])
		for place, side := range order {
			r, err := s.run(ctx, subject, Run{Subject: subject.Name, Side: side, Round: round, Order: place}, of)
			if err != nil {
				return err
			}
			runs[side] = append(runs[side], r)
		}
	}
	return nil
}

// confirm repeats the measurement of each subject that has a loss to be confirmed, with the same
// number of rounds as before.
func (s *session) confirm(ctx context.Context) error {
	if s.Confirm == nil {
		return nil
	}
	first := map[string]int{}
	most := 0
	for _, subject := range s.Subjects {
		for side := 1; side < s.Sides; side++ {
			for _, metric := range s.Confirm(s.data.Metrics(subject.Name, side)) {
				s.data.again[testOf{subject.Name, side, metric}] = true
				first[subject.Name] = s.data.Rounds(subject.Name)
				most = max(most, first[subject.Name])
			}
		}
	}
	s.data.first = first
	for round := range most {
		err := s.round(ctx, 2*most, func(subject string) bool { return round < first[subject] })
		if err != nil {
			return err
		}
	}
	return nil
}

// run performs a run. If an interrupted measurement has already performed it, run returns the
// earlier result instead.
func (s *session) run(ctx context.Context, subject Subject, r Run, look int) (Run, error) {
	if done, ok := s.earlier[runOf{r.Subject, r.Side, r.Round}]; ok {
		return done, nil
	}
	if s.Step != nil {
		s.Step(r.Round, look, r.Subject)
	}
	var err error
	if r.Figures, err = subject.Run(ctx, r.Side); err != nil || s.Save == nil {
		return r, err
	}
	return r, s.Save(r)
}

// allDecided reports whether all subjects are decided, so that further rounds cannot change any
// result. It marks the decided subjects, which are then no longer run. It is called only at looks,
// because testing after every round would raise the rate of false alarms.
func (s *session) allDecided() bool {
	all := true
	for _, subject := range s.Subjects {
		if !s.decided[subject.Name] && !s.nowDecided(subject.Name) {
			all = false
		}
	}
	return all
}

func (s *session) nowDecided(subject string) bool {
	for side := 1; side < s.Sides; side++ {
		if !s.Decided(s.data.Metrics(subject, side)) {
			return false
		}
	}
	s.decided[subject] = true
	return true
}
