package remedy

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// MinSamples is the number of samples that a CPU profile needs before sites are ranked by it. With
// fewer samples, the 95 % interval of a share of 5 % extends more than 1.4 percentage points to
// either side.
const MinSamples = 1000

// A program is worth a closer look if it reaches one of these shares of the CPU time.
const (
	LeastMemory  = 0.12 // of the CPU time
	leastCeiling = 0.05 // saved by a setting, at the lower end of its interval
)

// Idle reports whether the program spends so little time on memory that no change can be worth its
// cost. If so, it also returns the reason. Idle relies on two independent measurements: the profile
// shows little memory work, and no setting of the collector saves much. The profile alone is not
// enough, because the collector also has costs that the profile does not charge to any function of
// the runtime, such as cache misses after a collection.
func (p *Program) Idle() (string, bool) {
	memory := p.Classes.Memory()
	switch {
	case !p.surelyBelow(LeastMemory):
		return "", false
	case slices.ContainsFunc(p.Settings, func(s site.Setting) bool { return s.Price == "" && s.CPU.Proven && 1-s.CPU.Hi >= leastCeiling }):
		return "", false // the ceiling is at least what a setting saves
	case p.surelyBelow(leastCeiling): // to save all of it would not be worth a change
		return fmt.Sprintf("malloc and the collector take %s of the CPU time in all", Percent(memory)), true
	case p.Ceiling == nil || 1-p.Ceiling.CPU.Hi >= leastCeiling:
		return "", false
	}
	c := p.Ceiling.CPU
	return fmt.Sprintf("malloc and the collector take %s of the CPU time, and no collector at all saves %s [%s, %s]",
		Percent(memory), Percent(1-c.Ratio), Percent(1-c.Hi), Percent(1-c.Lo)), true
}

// surelyBelow reports whether memory work certainly takes less than a given share of the CPU time.
// A short profile suffices if its whole confidence interval is below that share.
func (p *Program) surelyBelow(part float64) bool {
	memory := p.Classes.Memory()
	_, most := Interval(memory, p.Classes.Samples)
	return memory < part && (p.Classes.Samples >= MinSamples || most < part)
}

// Interval returns the 95 % confidence interval of Clopper and Pearson for part, a share of the
// given number of samples. This interval is exact. The normal approximation is wrong for small
// shares: for a site that was never sampled, its interval would have zero width.
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

// Within limits x to the range from 0 to 1.
func Within(x float64) float64 { return min(1, max(0, x)) }
