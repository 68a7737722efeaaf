// Package prom exports statistics of Coppice containers to Prometheus. It is a separate module, so
// that the library does not depend on the Prometheus client.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	prometheus.MustRegister(prom.NewCollector(&watched))
//
// # Names
//
// The name of a metric consists of the prefix coppice_, the kind of container and the quantity. The
// label container contains the name of the container in the Set:
//
//	coppice_cache_hits_total{container="sessions"} 41
//	coppice_memory_committed_bytes{container="people"} 2.097152e+06
//
// Metrics whose names begin with coppice_memory_ cover all containers of the process that have
// memory outside the Go heap. For these metrics, the label container contains the Name in the
// container's Options. They are exported even for an empty Set and for a nil Set. The names of
// counters end in _total. If a container is replaced by a new container of the same name, its
// counters restart from zero, which the PromQL function rate handles.
//
// # Costs
//
// Each scrape reads all containers once. Package metrics describes which containers may be read,
// the cost, and the result for a closed container. There is one time series for each container and
// metric, so do not create a new container name for each request or user.
package prom
