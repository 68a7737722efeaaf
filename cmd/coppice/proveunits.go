package main

import (
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
)

// units validates the metrics in -goal, -higher and -lower. Besides the built-in metrics, these
// flags may name metrics that the benchmarks themselves report.
func (o *proveFlags) units(p *prove.Options, commands bool) error {
	p.Higher, p.Lower = cli.List(o.higher), cli.List(o.lower)
	for _, unit := range slices.Concat(p.Higher, p.Lower) {
		if metric.Own(unit) {
			return cli.Usagef("invalid unit %s: this is a built-in metric, for which lower is better; leave it out", unit)
		}
	}
	for _, unit := range p.Higher {
		if slices.ContainsFunc(p.Lower, func(other string) bool { return metric.OfUnit(other) == metric.OfUnit(unit) }) {
			return cli.Usagef("-higher and -lower both name %s: leave out one", unit)
		}
	}
	goals, known := fixed["-goal"], "cpu, wall or rss; for benchmarks also allocs"
	switch {
	case slices.Contains(goals, o.goal) && !(commands && o.goal == "allocs"):
		return nil
	case commands:
	case metric.Own(o.goal):
		return cli.Usagef("invalid -goal %s: must be cpu or wall for times, allocs for allocations", o.goal)
	case slices.Contains(p.Higher, o.goal), slices.Contains(p.Lower, o.goal), strings.Contains(o.goal, "/"):
		p.Goal = metric.OfUnit(o.goal)
		return nil
	}
	if !commands {
		known = "cpu, wall, rss, allocs or a unit that benchmarks report, such as hits/op"
	}
	return cli.MisspeltValue("-goal", o.goal, known, goals...)
}
