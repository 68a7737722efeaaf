// Package prom shows what the containers of Coppice hold to Prometheus. It is a module of its own,
// so that the library does not require Prometheus' client.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	prometheus.MustRegister(prom.NewCollector(&watched))
//
// # Names
//
// A metric is called coppice_, the kind of container, and what is counted, and has the label
// container with the name in the Set:
//
//	coppice_cache_hits_total{container="sessions"} 41
//	coppice_memory_committed_bytes{container="people"} 2.097152e+06
//
// Those of coppice_memory_ are of all containers of the process that have memory outside the Go
// heap, by the Name in their Options; they are there for an empty Set and a nil one, too. Counters
// of a container end in _total, and begin anew with a new container of the same name, as rate
// expects.
//
// # The price
//
// Each scrape reads all containers once. Package metrics says which may be read so, what that
// costs, and what a closed one shows. There is a series for each container and metric: give names
// to containers, and not to requests or users.
package prom
