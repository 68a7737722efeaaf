package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// Measured lists the metrics that the lab measures for every contender, if the operating system
// provides them.
var Measured = metric.From(metric.Process)

// usual lists the metrics that Go programs report. They need not be declared.
var usual = metric.From(metric.Runtime)

// Metrics returns the metrics that runs may have: the metrics that the lab measures and, if any
// contender reports figures, the usual and the declared metrics.
func (e Experiment) Metrics() []string {
	all := slices.Clone(Measured)
	if !slices.ContainsFunc(e.Contenders, func(c Contender) bool { return c.Reports }) {
		return all
	}
	all = append(all, usual...)
	for _, c := range e.Columns {
		all = append(all, c.Metric)
	}
	return append(all, e.Reported...)
}

// Named returns the metrics that the declaration mentions, without duplicates.
func (e Experiment) Named() (all []string) {
	add := func(metric string) {
		if !slices.Contains(all, metric) {
			all = append(all, metric)
		}
	}
	add(e.Metric)
	for _, c := range e.Columns {
		add(c.Metric)
	}
	for _, metric := range e.Reported {
		add(metric)
	}
	for _, c := range e.Claims {
		add(c.Metric)
	}
	if e.Summary != nil {
		for _, r := range e.Summary.Rows {
			add(r.Metric)
		}
	}
	return all
}

// checkMetrics checks that each metric that the declaration mentions exists.
func (e Experiment) checkMetrics() error {
	known := e.Metrics()
	if err := e.checkColumns(known); err != nil {
		return err
	}
	if !slices.Contains(known, e.Metric) {
		return fmt.Errorf("the experiment is ranked by metric %s", e.unknownMetric(e.Metric, known))
	}
	for _, c := range e.Claims {
		of := append(c.Contenders(), c.Ours, c.OursOver)
		if own := e.metricsOf(of); !slices.Contains(own, c.Metric) {
			return fmt.Errorf("claim %s, %q, has metric %s", c.ID, c.What, e.unknownMetric(c.Metric, own))
		}
	}
	if s := e.Summary; s != nil {
		own := e.metricsOf(append([]string{s.Old}, s.New...))
		for _, r := range s.Rows {
			if !slices.Contains(own, r.Metric) {
				return fmt.Errorf("row %q of the summary of %s has metric %s", r.What, s.Claim, e.unknownMetric(r.Metric, own))
			}
		}
	}
	return nil
}

// checkColumns checks that each column has a heading and a known metric, and that Reported lists
// only known metrics.
func (e Experiment) checkColumns(known []string) error {
	seen := map[string]bool{}
	for _, c := range e.Columns {
		switch {
		case c.Metric == "" || c.Name == "":
			return errors.New("a [[column]] needs metric and name")
		case seen[c.Metric]:
			return fmt.Errorf("two columns have metric %q", c.Metric)
		case !slices.Contains(known, c.Metric):
			return fmt.Errorf("column %q has metric %s", c.Name, e.unknownMetric(c.Metric, known))
		}
		seen[c.Metric] = true
	}
	if i := slices.IndexFunc(e.Reported, func(m string) bool { return !slices.Contains(known, m) }); i >= 0 {
		return fmt.Errorf("reported has metric %s", e.unknownMetric(e.Reported[i], known))
	}
	return nil
}

// metricsOf returns the metrics that all of the named contenders have. Empty names are ignored.
func (e Experiment) metricsOf(names []string) []string {
	for _, name := range names {
		if c, ok := e.Declared(name); ok && !c.Reports {
			return Measured
		}
	}
	return e.Metrics()
}

// unknownMetric returns the end of an error message for a metric that does not exist. It lists the
// metrics that exist.
func (e Experiment) unknownMetric(metric string, known []string) string {
	text := fmt.Sprintf("%q, which does not exist; %sthe metrics are %s", metric, nearest.Hint(metric, known), strings.Join(known, ", "))
	if len(known) > len(Measured) {
		return text + "; to use a different metric that contenders report, name it in a [[column]] or in reported"
	}
	return text + "; contenders with reports = true have more"
}
