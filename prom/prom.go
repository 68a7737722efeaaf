package prom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/coppice-go/coppice/metrics"
)

// A collector reports the statistics of the containers in a Set to Prometheus.
type collector struct {
	set   *metrics.Set
	descs map[metrics.Metric]*prometheus.Desc
}

// NewCollector returns a prometheus.Collector for the containers of a Set and for the memory
// accounts of the process. For a nil Set, it collects only the accounts. Only one such collector
// can be registered with a registry, because two collectors would both report the accounts.
// Containers that are added to the Set later are collected too. The methods of the collector are
// safe for concurrent use.
func NewCollector(set *metrics.Set) prometheus.Collector {
	c := &collector{set, map[metrics.Metric]*prometheus.Desc{}}
	for _, m := range metrics.All() {
		name := prometheus.BuildFQName("coppice", m.Kind, m.Name)
		c.descs[m] = prometheus.NewDesc(name, m.Help, []string{"container"}, nil)
	}
	return c
}

// Describe sends the descriptions of all metrics that a Set can have.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect reads all containers of the Set, which may be in use or be closed concurrently, and sends
// their samples.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	for _, r := range c.set.Read() {
		for _, s := range r.Samples {
			kind := prometheus.GaugeValue
			if s.Counter {
				kind = prometheus.CounterValue
			}
			to <- prometheus.MustNewConstMetric(c.descs[s.Metric], kind, s.Value, r.Name)
		}
	}
}
