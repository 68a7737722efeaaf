// Package prom exports statistics of Coppice containers to Prometheus. It is a separate module, so
// that the library does not depend on the Prometheus client.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	prometheus.MustRegister(prom.NewCollector(&watched))
//
// # Names
//
// The name of a metric consists of coppice_, the kind of the container and the quantity. The value
// of the label container is the name of the container in the Set:
//
//	coppice_cache_hits_total{container="sessions"} 41
//	coppice_memory_committed_bytes{container="people"} 2.097152e+06
//
// Metrics that begin with coppice_memory_ cover all containers of the process that have memory
// outside the Go heap, by the Name in their Options; they are also exported for an empty Set and a
// nil Set. The names of counters end in _total. A counter restarts from zero with a new container
// of the same name, which the function rate of PromQL handles.
//
// # Costs
//
// Each scrape reads all containers once. Package metrics describes which containers may be read,
// the cost, and the result for a closed container. There is one time series for each container and
// metric, so give names to containers, not to requests or users.
package prom
