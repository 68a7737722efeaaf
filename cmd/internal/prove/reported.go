package prove

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// better returns the direction of a metric that benchmarks report. The user's choice takes
// precedence, then the direction that the benchmarks of the first tree with a known direction
// printed, then the usual direction of the unit.
func (p *proof) better(name string) metric.Direction {
	switch of := func(unit string) bool { return metric.OfUnit(unit) == name }; {
	case slices.ContainsFunc(p.Higher, of):
		return metric.Higher
	case slices.ContainsFunc(p.Lower, of):
		return metric.Lower
	}
	unit, _ := metric.UnitOf(name)
	for _, a := range p.sides {
		if d := a.Better[unit]; d != metric.Unknown {
			return d
		}
	}
	return metric.Usual(unit)
}

// checkGoal returns an error if the goal is a unit whose direction is unknown. It is called after
// the benchmarks have run once, because benchmarks may print the directions of units.
func (p *proof) checkGoal() error {
	unit, reported := metric.UnitOf(p.Goal)
	if reported && p.better(p.Goal) == metric.Unknown {
		return fmt.Errorf("-goal %[1]s: unknown direction; add -higher %[1]s or -lower %[1]s", unit)
	}
	return nil
}

// oneSided lists the units that a benchmark reports on one side only, or in some runs only.
func oneSided(b *gobench.Benchmark, data *measure.Data, side int) (all []string) {
	for _, unit := range data.NotCompared(b.Subject(), side) {
		all = append(all, unit+" is missing in some runs, and is not compared")
	}
	return all
}
