package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// A Setting contains the effects of a setting of the Go runtime, or of a different build. They were
// measured in pairs with the default.
type Setting struct {
	Name   string
	Price  string // what a different build requires; empty for a setting
	Rounds int
	CPU    paired.Effect
	RSS    *paired.Effect // effect on peak process memory; nil if the system does not report it

	PeakBefore, PeakAfter float64 // median peaks in bytes: by default, and with the setting; 0 if unknown
}

// Ceiling is the name of the setting that turns the collector off.
const Ceiling = "GOGC=off"

// A setting is a set of environment variables to run with, and its name.
type setting struct {
	name string
	env  map[string]string
}

// Without a collector, a run may allocate at most the fraction mostMemory of the machine's memory,
// and GOMEMLIMIT is set to the fraction limitMemory.
const (
	mostMemory  = 0.4
	limitMemory = 0.5
)

const mebibyte = 1 << 20

// settings returns the settings to compare. The default comes first. rss is the peak memory of a
// usual run, in bytes.
//
// GOGC=off measures the ceiling: no change of the program's allocations can save more of the
// collector's work than running without a collector. Its memory limit only protects the machine.
// The last setting also turns the collector off, but a user can deploy it, because its memory limit
// is twice the usual peak.
func settings(rss, memory float64) []setting {
	all := []setting{
		{"default", nil},
		{Ceiling, map[string]string{"GOGC": "off", "GOMEMLIMIT": fmt.Sprintf("%.0fMiB", limitMemory*memory/mebibyte)}},
		{"GOGC=400", map[string]string{"GOGC": "400"}},
	}
	if rss > 0 {
		twice := fmt.Sprintf("%.0fMiB", 2*rss/mebibyte)
		all = append(all, setting{"GOGC=off GOMEMLIMIT=" + twice, map[string]string{"GOGC": "off", "GOMEMLIMIT": twice}})
	}
	return all
}

// settings measures the settings, and the metrics of an operation with the default. It first limits
// the number of operations to what fits into memory without a collector. All settings run the same
// number of operations, so that the runs of a pair do equal work.
func (f *Findings) settings(ctx context.Context, subject Subject, o Options) error {
	usual, err := subject.Figures(ctx, nil)
	if err != nil {
		return err
	}
	if most := mostMemory * o.Memory / max(usual["bytes"], 1); float64(subject.Operations()) > most {
		subject.Limit(max(1, int(most)))
	}
	f.CPU, f.Allocs, f.Bytes, f.Cycles = usual["cpu"], usual["allocs"], usual["bytes"], usual["cycles"]
	f.Outside = max(0, 1-f.CPU*float64(subject.Operations())/max(usual["process"], 1e-9))
	f.whole = usual["process"] / float64(subject.Operations())
	if f.CPU <= 0 {
		return errors.New("this system does not report CPU time; find needs Linux or another Unix")
	}
	if o.Rounds == 0 {
		return nil
	}
	all := settings(usual["rss"], o.Memory)
	if usual["bytes"] > mostMemory*o.Memory {
		f.NoCeiling = fmt.Sprintf("one operation allocates %.0f MiB, more than fits in memory here without a collector; choose a smaller input", usual["bytes"]/mebibyte)
		all = slices.DeleteFunc(all, func(a setting) bool { return a.name == Ceiling })
	}
	data, err := measure.Measure(ctx, measure.Plan{
		Subjects: []measure.Subject{{Name: subject.Label(), Run: func(ctx context.Context, i int) (map[string]float64, error) {
			return subject.Figures(ctx, all[i].env)
		}}},
		Sides: len(all),
		Looks: []stats.Look{{N: o.Rounds, Alpha: 0.05}},
		Step:  o.rounds("settings of the collector"),
	})
	if err != nil {
		return err
	}
	value := func(name string) float64 { return median(data, subject.Label(), 0, name) }
	f.CPU, f.Allocs, f.Bytes, f.Cycles = value("cpu"), value("allocs"), value("bytes"), value("cycles")
	for i, a := range all[1:] {
		s, err := settingOf(data, subject.Label(), i+1)
		if err != nil {
			return err
		}
		s.Name = a.name
		f.Settings = append(f.Settings, s)
	}
	return nil
}
