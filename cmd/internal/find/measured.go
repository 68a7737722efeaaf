package find

import (
	"fmt"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// Limits beyond which a measurement is doubtful.
const (
	shortest       = 1e-6 // minimum CPU seconds per operation
	deadCode       = 1e-9
	mostOutside    = 0.5       // maximum fraction of the process's CPU time outside the timed code
	mostDifference = 0.05      // maximum difference of the counts by testing and the heap profile
	mostTime       = time.Hour // maximum profiling time that is worth proposing
)

// measured copies the costs of an operation and the effects of the settings into the result, and
// adds warnings about doubtful values.
func (r *Result) measured(f *probe.Findings) {
	r.Op = Op{CPU: f.CPU, Allocs: f.Allocs, Bytes: f.Bytes, Cycles: f.Cycles, Exact: true}
	for _, s := range f.Settings {
		made := Setting{Name: s.Name, Price: s.Price, Rounds: s.Rounds, CPU: changeOf(s.CPU), PeakBefore: s.PeakBefore, PeakAfter: s.PeakAfter}
		if s.RSS != nil {
			rss := changeOf(*s.RSS)
			made.RSS = &rss
		}
		if s.Name == probe.Ceiling {
			made.RSS, made.PeakBefore, made.PeakAfter = nil, 0, 0 // without a collector, the peak includes all allocations
			r.Ceiling = &made
			continue
		}
		r.Settings = append(r.Settings, made)
	}
	if text := r.againstCeiling(); text != "" {
		r.warn("%s", text)
	}
	if f.NoCeiling != "" {
		r.warn("the ceiling was not measured: %s", f.NoCeiling)
	}
	switch {
	case f.CPU < deadCode && f.Allocs < 0.001:
		r.warn("an operation takes less than 1 ns and allocates nothing: the compiler has removed the work; use its result, or write the loop with b.Loop")
	case f.CPU < shortest:
		r.warn("an operation takes %.0f ns: the loop of the benchmark is part of the measurement; do more work per operation", 1e9*f.CPU)
	}
	if f.Outside > mostOutside {
		r.warn("%.0f %% of the process's CPU time is not timed: set-up, which this profile leaves out", 100*f.Outside)
	}
	if warning := r.Environment["warning"]; warning != "" {
		r.warn("%s", warning)
	}
}

// againstCeiling returns a warning if a setting of the collector is proven to save more than
// running without a collector. The warning states which of the two values to use. This can happen
// because a program without a collector keeps mapping new memory, so GOGC=off is not always the
// cheapest setting.
func (r *Result) againstCeiling() string {
	if r.Ceiling == nil {
		return ""
	}
	var best *Setting
	for i := range r.Settings {
		if s := &r.Settings[i]; s.Price == "" && s.CPU.Proven && s.CPU.Ratio < r.Ceiling.CPU.Ratio && (best == nil || s.CPU.Ratio < best.CPU.Ratio) {
			best = s
		}
	}
	if best == nil {
		return ""
	}
	return best.Name + " saves more than the ceiling: trust " + best.Name + ", because without any collection no memory is reused, and new memory from the system takes CPU time that the ceiling counts"
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func changeOf(e paired.Effect) Change {
	return Change{Ratio: e.Ratio, Lo: e.Lo, Hi: e.Hi, Proven: e.Lo > 1 || e.Hi < 1}
}

// probes records how much the heap profiles slowed the program down.
func (r *Result) probes(f *probe.Findings) {
	add := func(name string, p *probe.Profiles) {
		if p != nil && p.CPU > 0 && f.CPU > 0 {
			r.Probes = append(r.Probes, Probe{name, f.Heap.N, p.CPU / f.CPU})
		}
	}
	add(HoldResults, f.Heap.Kept)
	if len(f.Heap.Plain.Moments) > 0 {
		add(RandomMoments, &f.Heap.Plain)
	} else {
		add(Allocations, &f.Heap.Plain)
	}
}

// sites sets the sites of the result, with their costs and lifetimes. It returns the sites by their
// keys in the profiles.
func (r *Result) sites(scope *profiles.Scope, f *probe.Findings) (map[profiles.Key]*site.Site, error) {
	cpu, err := scope.CPU(f.Profile)
	if err != nil {
		return nil, err
	}
	r.Classes = cpu.Classes
	switch {
	case f.Needs > mostTime:
		r.warn("a run is too short for a CPU profile (%d samples in all): give it more work", cpu.Classes.Samples)
	case f.Needs > 0:
		r.warn("%d samples would take about %v: use coppice find -time %[2]v", remedy.MinSamples, f.Needs.Round(10*time.Second)+10*time.Second)
	}
	if cpu.Classes.Samples < remedy.MinSamples {
		r.warn("the CPU profile has %d samples; shares of sites are imprecise below %d", cpu.Classes.Samples, remedy.MinSamples)
	}
	heap, err := scope.Heap(profiles.Difference(f.Heap.Plain.Held, f.Heap.Plain.Start), nil)
	if err != nil {
		return nil, err
	}
	r.Sites = profiles.Sites(cpu, heap, float64(f.Heap.N))
	r.probes(f)
	if f.Heap.Rate != 1 {
		r.Op.Exact = false
		r.warn("allocations are sampled, one per %d bytes", f.Heap.Rate)
	} else if f.Heap.Allocs > 0 {
		// The counts come from the profiles themselves, so there are no other counts to compare
		// with.
	} else if counted := float64(heap.Total.Objects) / float64(f.Heap.N); counted > f.Allocs*(1+mostDifference)+1 {
		r.warn("%.0f %% of the objects in the heap profile were allocated while the timer was stopped; set-up code is among the sites", 100*(1-f.Allocs/counted))
	}
	alive, err := scope.Heap(f.Heap.Plain.Held, nil)
	if err != nil {
		return nil, err
	}
	lives, err := livesOf(scope, &f.Heap, heap)
	if err != nil {
		return nil, err
	}
	fates := lives.ofPlaces()
	if f.Heap.AtEnd && f.Heap.Rate == 1 {
		r.warn("a run shows only the lifetimes of values in use at its end; a benchmark of the same work measures the rest")
	} else if f.Heap.Rate == 1 && f.Heap.Kept == nil {
		r.warn("lifetimes are estimated from profiles at random moments: %s; to measure them exactly, return the result of an operation, or pass it to benchresult.Keep", f.Heap.Why)
	}
	all := map[profiles.Key]*site.Site{}
	for _, s := range r.Sites {
		key := profiles.KeyOf(s)
		all[key], s.Fate = s, fates[key]
		s.InUse, s.InUseBytes = alive.Sites[key].InUse, alive.Sites[key].InUseBytes
	}
	profiles.Divide(r.Sites, cpu, heap, float64(f.Heap.N), lives.ofCalls())
	return all, nil
}
