package main

import (
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
)

// units checks -goal, -higher and -lower, which may name metrics that benchmarks report themselves.
func (o *proveFlags) units(p *prove.Options, commands bool) error {
	p.Higher, p.Lower = cli.List(o.higher), cli.List(o.lower)
	for _, unit := range slices.Concat(p.Higher, p.Lower) {
		if metric.Own(unit) {
			return cli.Usagef("invalid unit %s: prove measures it itself, and lower is better", unit)
		}
	}
	for _, unit := range p.Higher {
		if slices.ContainsFunc(p.Lower, func(other string) bool { return metric.OfUnit(other) == metric.OfUnit(unit) }) {
			return cli.Usagef("-higher and -lower both have %s; leave out one", unit)
		}
	}
	goals, known := fixed["-goal"], "none of cpu, wall, rss and, for benchmarks, allocs"
	switch {
	case slices.Contains(goals, o.goal) && !(commands && o.goal == "allocs"):
		return nil
	case commands:
	case metric.Own(o.goal):
		return cli.Usagef("invalid -goal %s: times are cpu and wall, and allocations are allocs", o.goal)
	case slices.Contains(p.Higher, o.goal), slices.Contains(p.Lower, o.goal), strings.Contains(o.goal, "/"):
		p.Goal = metric.OfUnit(o.goal)
		return nil
	}
	if !commands {
		known = "none of cpu, wall, rss, allocs and units that benchmarks report, such as hits/op"
	}
	return cli.MisspeltValue("-goal", o.goal, known, goals...)
}
