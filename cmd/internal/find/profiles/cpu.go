package profiles

import (
	"fmt"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A CPU contains the memory work that CPU profiles show. The zero value contains no profile.
type CPU struct {
	// Classes contains fractions of all samples, except for the samples of the harness and of idle
	// marking. Starting a collection is included in marking. Work of the collector that belongs to
	// no class, such as returning memory to the system, is included in other work.
	Classes site.Classes
	// Malloc counts the samples in mallocgc by place. Classes may include more of them, because a
	// stack that has only runtime frames has no place.
	Malloc map[Key]int
	// MallocCalls counts the same samples by the instruction that allocates. It is empty unless
	// Scope.One is set, because addresses belong to one binary.
	MallocCalls map[Call]int
	// Formatting counts the samples in package fmt, and in the functions that fmt calls, by the
	// place that calls fmt. Memory work is not included.
	Formatting map[site.Place]int
	Harness    int // samples of the measuring code, which are in no class
	Idle       int // samples of marking by otherwise idle processors, which are in no class

	works [start + 1]int
}

// CPU reads a CPU profile. A profile of 10 s takes about 1 ms. A program that ends within 10 ms of
// CPU time may have no sample: Classes.Samples is then 0, and the heap profile is still used.
func (s *Scope) CPU(p *profile.Profile) (*CPU, error) {
	c := &CPU{}
	if err := c.Add(s, p); err != nil {
		return nil, err
	}
	return c, nil
}

// Add adds the samples of a CPU profile to c.
func (c *CPU) Add(s *Scope, p *profile.Profile) error {
	samples, err := counts(p)
	if err != nil {
		return err
	}
	if c.Malloc == nil {
		c.Malloc = map[Key]int{}
	}
	if c.MallocCalls == nil {
		c.MallocCalls = map[Call]int{}
	}
	if c.Formatting == nil {
		c.Formatting = map[site.Place]int{}
	}
	frames := s.remember(p)
	for _, sample := range p.Sample {
		n := samples(sample)
		got := read(sample.Location, frames)
		switch {
		case got.ours:
			c.Harness += n
		case got.work == idle:
			c.Idle += n
		default:
			c.works[got.work] += n
			if got.work == other && got.called == "fmt" && got.key.Leaf != (site.Place{}) {
				c.Formatting[got.key.Place] += n
			}
			if got.work == malloc && got.placed {
				c.Malloc[got.key] += n
				if s.One {
					c.MallocCalls[callAt(got.key, got.at)] += n
				}
			}
		}
	}
	c.classes()
	return nil
}

// counts returns a function that returns the number of CPU samples for an entry of the profile.
// Some profile servers store only nanoseconds, from which that number is computed.
func counts(p *profile.Profile) (func(*profile.Sample) int, error) {
	if i := column(p, "samples"); i >= 0 {
		return func(s *profile.Sample) int { return int(s.Value[i]) }, nil
	}
	i := column(p, "cpu")
	if i < 0 {
		return nil, fmt.Errorf("not a CPU profile: its sample types are %s; use a profile from pprof.StartCPUProfile or /debug/pprof/profile",
			strings.Join(sampleTypes(p), ", "))
	}
	period := p.Period
	if period <= 0 {
		period = 10_000_000 // nanoseconds; runtime/pprof samples at 100 Hz
	}
	return func(s *profile.Sample) int { return int((s.Value[i] + period/2) / period) }, nil
}

func (c *CPU) classes() {
	all := 0
	for _, w := range []work{other, malloc, assist, mark, sweep, barrier, start} {
		all += c.works[w]
	}
	part := func(n int) float64 { return float64(n) / float64(max(1, all)) }
	c.Classes = site.Classes{
		Malloc:  part(c.works[malloc]),
		Assist:  part(c.works[assist]),
		Mark:    part(c.works[mark] + c.works[start]),
		Sweep:   part(c.works[sweep]),
		Barrier: part(c.works[barrier]),
		Other:   part(c.works[other]),
		Samples: all,
	}
}

// remember returns a function like Scope.frames that caches its results for one profile.
func (s *Scope) remember(p *profile.Profile) func(*profile.Location) []frame {
	known := make(map[*profile.Location][]frame, len(p.Location))
	return func(l *profile.Location) []frame {
		got, ok := known[l]
		if !ok {
			got = s.frames(l)
			known[l] = got
		}
		return got
	}
}

// Merge adds the samples of another CPU to c.
func (c *CPU) Merge(other *CPU) {
	if c.Malloc == nil {
		c.Malloc = map[Key]int{}
	}
	for k, n := range other.Malloc {
		c.Malloc[k] += n
	}
	if c.Formatting == nil {
		c.Formatting = map[site.Place]int{}
	}
	for p, n := range other.Formatting {
		c.Formatting[p] += n
	}
	for w, n := range other.works {
		c.works[w] += n
	}
	c.Harness += other.Harness
	c.Idle += other.Idle
	c.classes()
}
