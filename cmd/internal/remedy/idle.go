package remedy

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// MinSamples is how many samples a CPU profile needs before sites are ranked by it: with fewer, the
// share of a site of 5 % is known to no better than 1.4 points.
const MinSamples = 1000

// What a program must spend on memory before it is worth looking at.
const (
	LeastMemory  = 0.12 // of the CPU time
	leastCeiling = 0.05 // what the lower end of the ceiling's interval saves
)

// Idle says why no change to allocation is worth anything, if that is so.
func (p *Program) Idle() (string, bool) {
	memory := p.Classes.Memory()
	switch {
	case !p.surelyBelow(LeastMemory):
		return "", false
	case slices.ContainsFunc(p.Settings, func(s site.Setting) bool { return s.Price == "" && s.CPU.Proven && 1-s.CPU.Hi >= leastCeiling }):
		return "", false // the ceiling cannot be less than what a setting saves
	case p.surelyBelow(leastCeiling): // all of it is less than what is worth having
		return fmt.Sprintf("malloc and the collector take %s of the CPU time in all", Percent(memory)), true
	case p.Ceiling == nil || 1-p.Ceiling.CPU.Hi >= leastCeiling:
		return "", false
	}
	c := p.Ceiling.CPU
	return fmt.Sprintf("malloc and the collector take %s of the CPU time, and no collector at all saves %s [%s, %s]",
		Percent(memory), Percent(1-c.Ratio), Percent(1-c.Hi), Percent(1-c.Lo)), true
}

// surelyBelow tells whether memory work is less than a part of the CPU time. A short profile tells
// if its interval is below.
func (p *Program) surelyBelow(part float64) bool {
	memory := p.Classes.Memory()
	_, most := Interval(memory, p.Classes.Samples)
	return memory < part && (p.Classes.Samples >= MinSamples || most < part)
}

// Interval is the 95 % interval of Clopper and Pearson for a part of so many samples.
func Interval(part float64, samples int) (lo, hi float64) {
	const tail = 0.025
	n := float64(samples)
	k := Within(part) * n
	if samples <= 0 {
		return 0, 1
	}
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(1 - tail)
	}
	return lo, hi
}

// Within is a part of a whole, whatever was computed.
func Within(x float64) float64 { return min(1, max(0, x)) }
