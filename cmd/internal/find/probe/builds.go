package probe

import (
	"context"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// A Build is the subject, built in a different way.
type Build struct {
	Name  string // such as PGO or GOAMD64=v3
	Price string // what the build requires
	// Figures runs the build, with as many operations as a run of the subject.
	Figures func(ctx context.Context) (map[string]float64, error)
}

// Builds is the type of functions that build a subject in different ways. cpu is a CPU profile of
// the subject, for PGO.
type Builds func(ctx context.Context, cpu *profile.Profile) ([]Build, error)

// builds measures other builds in pairs with the usual build. It runs after the settings are
// measured, because PGO needs the CPU profile, which is recorded after that.
func (f *Findings) builds(ctx context.Context, subject Subject, o Options) error {
	if o.Builds == nil || o.Rounds == 0 {
		return nil
	}
	all, err := o.Builds(ctx, f.Profile)
	if err != nil || len(all) == 0 {
		return err
	}
	data, err := measure.Measure(ctx, measure.Plan{
		Subjects: []measure.Subject{{Name: subject.Label(), Run: func(ctx context.Context, i int) (map[string]float64, error) {
			if i == 0 {
				return subject.Figures(ctx, nil)
			}
			return all[i-1].Figures(ctx)
		}}},
		Sides: len(all) + 1,
		Looks: []stats.Look{{N: o.Rounds, Alpha: 0.05}},
		Step:  o.rounds("other builds"),
	})
	if err != nil {
		return err
	}
	for i, b := range all {
		s, err := settingOf(data, subject.Label(), i+1)
		if err != nil {
			return err
		}
		s.Name, s.Price = b.Name, b.Price
		f.Settings = append(f.Settings, s)
	}
	return nil
}

// settingOf compares a side of a measurement with side 0, which has the default settings.
func settingOf(data *measure.Data, label string, side int) (s Setting, err error) {
	s.Rounds = data.Rounds(label)
	effect := func(metric string) (paired.Effect, error) {
		return paired.Compare(data.Values(label, 0, metric), data.Values(label, side, metric), 0.05)
	}
	if s.CPU, err = effect("cpu"); err != nil {
		return s, err
	}
	if rss, err := effect("rss"); err == nil {
		s.RSS = &rss
		s.PeakBefore, s.PeakAfter = median(data, label, 0, "rss"), median(data, label, side, "rss")
	}
	return s, nil
}

func median(data *measure.Data, label string, side int, metric string) float64 {
	return stats.Summarize(data.Values(label, side, metric)).Median
}
