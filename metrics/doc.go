// Package metrics reads the statistics of containers, for monitoring. Package metrics/expvars
// publishes them at /debug/vars, and the module github.com/coppice-go/coppice/prom exports them to
// Prometheus.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	watched.Add("people", metrics.Locked(&mu, people)) // a hashmap.Map, and the lock that guards it
//	expvars.Publish("coppice", &watched)
//
// # Accounts
//
// Each container that can have memory outside the Go heap has an account, which records how many
// bytes the container has reserved and committed. Reading a Set always includes all accounts;
// reading a nil *Set returns only the accounts. The name of an account is the Name in the
// container's Options. Containers with the same name are added up.
//
// # Data races
//
// A monitor may read at any time, from its own goroutine. [Cache], [Sharded], [ShardedTexts] and
// [Symbols] accept containers that are safe for concurrent use. Maps, arenas and slabs are not safe
// for concurrent use, and neither are their Stats methods. For these containers, use [Locked],
// which reads a container under the lock that guards it, or [Latest], which holds the statistics
// that the container's owner stored last. A [Func] that reads such a container without
// synchronization causes a data race.
//
// # Costs
//
// Containers do not depend on this package and count nothing for it, so programs that do not import
// it pay nothing for it. A Set keeps each container alive until Remove. Reading a Set reads each
// container once. For a cache or a Sharded, this reads each shard under its lock. For a map, it
// reads the directory of pages.
//
// # Closed containers
//
// A container may be closed before or while it is read. The Stats of a closed container are zero,
// except that the Stats of a cache keep their counts. Remove removes a container from the Set, and
// may be called before or after Close.
//
// docs/decisions/0058 explains why this package reads the containers instead of letting them
// register themselves.
//
// Files, from top to bottom. A file uses only files on lower lines.
//
//	set.go     Set: names, readings, accounts
//	source.go  Source: how each kind of container is read
//	metric.go  Metric, Sample, and the tables of the fields of each Stats
package metrics
