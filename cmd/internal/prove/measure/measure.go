// Package measure runs programs in interleaved rounds and compares their figures: exact ones exactly, and times by
// the paired tests of package paired.
//
// In a round each arm runs once. The order of arms is drawn for one round and reversed for the next (ABBA), so
// that being second costs both alike; the order of subjects is drawn for each round.
package measure

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/paired"
)

// A Subject is something that all arms do.
type Subject struct {
	Name string
	// Run runs it once in one arm, the base if arm is 0, and returns figures by metric.
	Run func(ctx context.Context, arm int) (map[string]float64, error)
}

// A Run is one run of one arm.
type Run struct {
	Subject string             `json:"subject"`
	Arm     int                `json:"arm"`
	Round   int                `json:"round"` // from 0
	Order   int                `json:"order"` // which of the arms of its round it was, from 0
	Figures map[string]float64 `json:"figures"`
}

// A Plan says how much to measure, and when that is enough.
type Plan struct {
	Subjects []Subject
	Arms     int // at least 2
	Looks    []paired.Look
	Least    float64                // the effect worth having, 0.05 for 5 %
	Decided  func(of []Metric) bool // whether more rounds can change nothing for an arm
	Seed     uint64
	Done     []Run                               // of a measurement that was interrupted
	Save     func(Run) error                     // called for each new run, may be nil
	Step     func(round, of int, subject string) // called before each new run, may be nil
}

// A Data has the figures of all runs.
type Data struct {
	plan  *Plan
	runs  map[string][][]Run // by subject and arm, in the order of rounds
	tests map[testOf]tested  // of all runs, or nil if there were more runs since
}

// Rounds is how many rounds of a subject are complete.
func (d *Data) Rounds(subject string) int {
	least := -1
	for _, runs := range d.runs[subject] {
		if least < 0 || len(runs) < least {
			least = len(runs)
		}
	}
	return max(least, 0)
}

// Values returns a metric of an arm, for all complete rounds that have it in all arms.
func (d *Data) Values(subject string, arm int, metric string) []float64 {
	var values []float64
	for _, r := range d.runs[subject][arm][:d.Rounds(subject)] {
		if v, ok := r.Figures[metric]; ok {
			values = append(values, v)
		}
	}
	return values
}

// Measure runs the plan. At each look it stops with the subjects that are decided. If the context ends or a run fails,
// what is complete so far is returned with the error.
func Measure(ctx context.Context, p Plan) (*Data, error) {
	s := session{Plan: &p, data: &Data{plan: &p, runs: map[string][][]Run{}}, earlier: map[runOf]Run{}, decided: map[string]bool{}}
	for _, subject := range p.Subjects {
		s.data.runs[subject.Name] = make([][]Run, p.Arms)
	}
	for _, r := range p.Done {
		s.earlier[runOf{r.Subject, r.Arm, r.Round}] = r
	}
	s.random = rand.New(rand.NewPCG(p.Seed, 0))
	round := 0
	for i, look := range p.Looks {
		for ; round < look.N; round++ {
			if err := s.round(ctx, round, look.N); err != nil {
				return s.data, err
			}
		}
		if i == len(p.Looks)-1 || s.allDecided() {
			break
		}
	}
	return s.data, nil
}

// A session is a measurement under way.
type session struct {
	*Plan
	data    *Data
	earlier map[runOf]Run
	random  *rand.Rand
	order   []int           // of arms, in this round
	decided map[string]bool // subjects that no longer run
}

// A runOf names one run of all.
type runOf struct {
	subject    string
	arm, round int
}

// round runs one round, of those that lead to the look after so many.
func (s *session) round(ctx context.Context, round, look int) error {
	if round%2 == 0 {
		s.order = s.random.Perm(s.Arms)
	} else {
		slices.Reverse(s.order)
	}
	s.data.tests = nil
	for _, i := range s.random.Perm(len(s.Subjects)) {
		subject := s.Subjects[i]
		if s.decided[subject.Name] {
			continue
		}
		for place, arm := range s.order {
			r, err := s.run(ctx, subject, Run{Subject: subject.Name, Arm: arm, Round: round, Order: place}, look)
			if err != nil {
				return err
			}
			s.data.runs[subject.Name][arm] = append(s.data.runs[subject.Name][arm], r)
		}
	}
	return nil
}

// run makes one run, unless it was made before.
func (s *session) run(ctx context.Context, subject Subject, r Run, look int) (Run, error) {
	if done, ok := s.earlier[runOf{r.Subject, r.Arm, r.Round}]; ok {
		return done, nil
	}
	if s.Step != nil {
		s.Step(r.Round, look, r.Subject)
	}
	var err error
	if r.Figures, err = subject.Run(ctx, r.Arm); err != nil || s.Save == nil {
		return r, err
	}
	return r, s.Save(r)
}

// allDecided looks at what is measured so far, and tells whether more rounds can change nothing at all.
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
	for arm := 1; arm < s.Arms; arm++ {
		if !s.Decided(s.data.Metrics(subject, arm)) {
			return false
		}
	}
	s.decided[subject] = true
	return true
}
