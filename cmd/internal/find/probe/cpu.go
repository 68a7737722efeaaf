package probe

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// profileRun is the approximate length of the timed part of a profiled run. It is long enough that
// the start of the process does not matter, and short enough that the samples come from several
// processes. rate is the sampling rate of runtime/pprof.
const (
	profileRun = 3 * time.Second
	rate       = 100 // samples per second of CPU time
)

// mostWhole limits the length of a run in which much of an operation is not timed. The whole run
// takes at most mostWhole times the length that is planned for its timed part.
const mostWhole = 3

// profile runs the subject under the CPU profiler until there are enough samples, and merges the
// profiles.
func (f *Findings) profile(ctx context.Context, subject Subject, o Options) error {
	n := max(1, int(min(profileRun.Seconds(), float64(o.Samples)/rate)/max(f.CPU, f.whole/mostWhole, 1e-9)))
	start := time.Now()
	var all []*profile.Profile
	for samples := 0; ; {
		var more bool
		if more, f.Needs = o.goesOn(samples, len(all), time.Since(start)); !more {
			break
		}
		o.showStep(fmt.Sprintf("CPU profile, %d of %d samples", samples, o.Samples), o.timeLeft(samples, time.Since(start)))
		p, err := subject.Profile(ctx, n)
		if err != nil {
			return err
		}
		for _, s := range p.Sample {
			samples += int(s.Value[0])
		}
		all = append(all, p)
	}
	var err error
	f.Profile, err = profile.Merge(all)
	return err
}

// goesOn reports whether another run is needed for the CPU profile. If Time is too short to get
// Least samples, goesOn returns false, and needs is the time that Least samples would take.
func (o *Options) goesOn(samples, runs int, took time.Duration) (more bool, needs time.Duration) {
	least := min(o.Least, o.Samples)
	switch {
	case runs == 0:
		return true, 0
	case samples >= o.Samples || samples >= least && took >= o.Longest:
		return false, 0
	case took < min(o.Longest, max(o.Time, 1)):
		return true, 0
	case samples >= least:
		return false, 0
	}
	if needs = time.Duration(float64(took) * float64(least) / float64(max(samples, 1))); needs <= o.Time {
		return true, 0
	}
	return false, needs
}

// timeLeft estimates the time until the CPU profile is complete, assuming that samples continue to
// arrive at the same rate. It returns 0 before the first samples.
func (o *Options) timeLeft(samples int, took time.Duration) time.Duration {
	if samples == 0 {
		return 0
	}
	at := func(n int) time.Duration { return time.Duration(float64(took) * float64(n) / float64(samples)) }
	least, longest := at(min(o.Least, o.Samples)), min(o.Longest, o.Time)
	end := min(at(o.Samples), max(longest, least))
	if least > o.Time {
		end = longest
	}
	return max(0, end-took)
}

// Profile records a CPU profile of the timed part of a run.
func (b *Benchmark) Profile(ctx context.Context, operations int) (*profile.Profile, error) {
	return b.profile(ctx, gobench.Times(operations))
}

func (b *Benchmark) profile(ctx context.Context, time string) (*profile.Profile, error) {
	file := filepath.Join(b.Tree.Folder, "cpu.pb.gz")
	how := gobench.How{Time: time, Env: map[string]string{meter.LabelEnv: "1"}, Args: []string{"-test.cpuprofile=" + file}}
	if _, err := b.Benchmark.Run(ctx, b.Tree, how); err != nil {
		return nil, err
	}
	p, err := profiles.ReadFile(file)
	if err == nil {
		keepTimed(p)
	}
	return p, err
}

// keepTimed keeps only the samples of the timed part of the last run, and the samples of the
// runtime's own goroutines, which have no label. The work of goroutines that were started before
// the last reset of the timer is lost, because a goroutine inherits its labels when it starts.
func keepTimed(p *profile.Profile) {
	last := 0
	for _, s := range p.Sample {
		last = max(last, reset(s))
	}
	kept := p.Sample[:0]
	for _, s := range p.Sample {
		if last > 0 && reset(s) == last || ofRuntime(s) {
			s.Label = nil
			kept = append(kept, s)
		}
	}
	p.Sample = kept
}

// reset returns how many times the timer had been reset when a sample was taken, or 0 if the timer
// was stopped.
func reset(s *profile.Sample) int {
	if labels := s.Label[meter.Label]; len(labels) == 1 {
		n, _ := strconv.Atoi(labels[0])
		return n
	}
	return 0
}

// ofRuntime reports whether a sample belongs to a goroutine of the runtime, or to no goroutine at
// all.
func ofRuntime(s *profile.Sample) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil && !strings.HasPrefix(line.Function.Name, "runtime.") {
				return false
			}
		}
	}
	return true
}
