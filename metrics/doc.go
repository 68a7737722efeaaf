// Package metrics reads statistics of containers for monitoring. Package metrics/expvars publishes
// them at /debug/vars, and the module github.com/coppice-go/coppice/prom exports them to
// Prometheus.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	watched.Add("people", metrics.Locked(&mu, people)) // a hashmap.Map, and the lock that guards it
//	expvars.Publish("coppice", &watched)
//
// # Accounts
//
// Each container that can have memory outside the Go heap has an account, which records the numbers
// of its reserved and committed bytes. A Set always reads all accounts, and a nil *Set reads only
// the accounts. The name of the account is the Name in the Options of the container. Containers
// with the same name are summed.
//
// # Data races
//
// A monitor reads from its own goroutine at any time. [Cache], [Sharded], [ShardedTexts] and
// [Symbols] accept containers that are safe for concurrent use. Maps, arenas and slabs are not safe
// for concurrent use, and neither is their method Stats. For these containers, [Locked] reads a
// container under the lock that guards it, and [Latest] holds the statistics that the owner of a
// container stored last. A [Func] that reads such a container without synchronization is a data
// race.
//
// # Costs
//
// Containers do not depend on this package and keep no counts for it, so a program that does not
// import it has no cost. A Set keeps each container alive until Remove. Reading a Set reads each
// container once. For a cache or a Sharded, this reads each shard under its lock; for a map, it
// reads the directory of pages.
//
// # Closed containers
//
// A container may be closed before or while it is read: the Stats of a closed container are zero,
// except that the Stats of a cache keep their counts. Remove removes a container from the Set,
// before or after Close.
//
// docs/decisions/0058 explains why this package reads the containers, and why they do not register
// themselves.
//
// Files, from top to bottom. A file uses only files on lower lines.
//
//	set.go     Set: names, readings, accounts
//	source.go  Source: how each kind of container is read
//	metric.go  Metric, Sample, and the tables of the fields of each Stats
package metrics
