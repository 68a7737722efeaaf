// Package metrics reads what containers hold, for monitors: package metrics/expvars shows it at
// /debug/vars, and the module github.com/coppice-go/coppice/prom to Prometheus.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	watched.Add("people", metrics.Locked(&mu, people)) // a hashmap.Map, and the lock that guards it
//	expvars.Publish("coppice", &watched)
//
// # What there is without a Set
//
// Each container that can have memory outside the Go heap has an account, which counts bytes of
// addresses and of memory. A Set always reads all accounts, and a nil *Set reads nothing else. Name
// in the Options of a container is the name of its account. Containers with the same name are
// summed up.
//
// # The main danger
//
// A monitor reads from a goroutine of its own, whenever it likes. [Cache], [Sharded],
// [ShardedTexts] and [Symbols] take containers that any goroutine may use. Maps, arenas and slabs
// are not safe for concurrent use, even to read their Stats: [Locked] reads them under the lock
// that guards them, and [Latest] has what their owner last stored. A data race is what follows from
// a [Func] that reads them without either.
//
// # The price
//
// Containers do not know of this package, and count nothing for it: a program that does not import
// it pays nothing. A Set keeps each container alive until Remove. One reading of a Set looks at
// each container once: for a cache or a Sharded at each shard under its lock, for a map at its
// directory of pages.
//
// # Closed containers
//
// A container may be closed while it is read and afterwards: the Stats of a closed container are
// zero, and those of a cache keep their counts. Remove takes it out of the Set, before or after
// Close.
//
// docs/decisions/0058 says why containers are read from outside.
//
// Files, from top to bottom. A file uses only those on lower lines.
//
//	set.go     Set: names, readings, accounts
//	source.go  Source: how each kind of container is read
//	metric.go  Metric, Sample, and the tables of what each Stats has
package metrics
