// Package pool recycles values. A [Pool] is a typed sync.Pool with a reset function and a limit on
// the size of the values that it keeps.
//
//	var buffers pool.Pool[bytes.Buffer] // the zero value is ready to use
//
//	b := buffers.Get()
//	defer buffers.Put(b) // resets b; do not use it afterwards
//
// # Use after Put
//
// After [Pool.Put] the value may have another owner. If you use it, or put it a second time, two
// owners share one value. This is memory-safe, but it corrupts the data. Checked builds (-tags
// coppice_checks, or -race) check for both mistakes, and panic with the line of the first Put. In
// such a build a value is quarantined until sixteen more values have been put.
//
//   - A second Put panics immediately if the value is still in quarantine. A second Put after the
//     quarantine is detected only by a Get that would return the value while the value is in
//     quarantine again; that Get panics. Without such a Get, two owners may share the value, as in
//     other builds.
//   - The call that detects a write panics. A write during the quarantine is detected at the next
//     use of the pool if values have at most 256 bytes. In a pool of larger values it is detected
//     at the latest when the quarantine ends. A write after the quarantine is detected when Get
//     would return the value. Only the first 64 KiB of a value are checked, and nothing that the
//     value points to. If a value contains a sync.Pool, only the field New of the sync.Pool is
//     checked, because the collector writes its other fields.
//   - A read after Put is not detected; it returns the state after the reset. Uses after the next
//     owner's Get are not detected either, nor are uses of a value that the collector removed from
//     the pool.
//
// In a checked build, a Get and a Put cost a few microseconds, plus a few more for values of many
// KiB. The cost does not depend on the number of values. The pool keeps the sixteen values in
// quarantine alive.
//
// # Costs
//
// A Get and a Put together cost about 10 ns. The collector empties the pool within two cycles, so a
// value may be dropped at any time. A pool is worthwhile for values that are expensive to create,
// such as buffers, encoders, or a whole slab.Slab. It is rarely worthwhile for small nodes: on
// trees of 16-byte nodes, a sync.Pool for the nodes is as slow as plain new.
//
// # When to use something else
//
// For many small values that are freed together, use package slab, and keep the Slab in a Pool
// between phases. For a fixed number of expensive resources (connections, file handles), use a
// channel or a list, because a Pool may drop its values at any time without closing them. If you
// need only about one value per second, allocate a new one each time.
package pool
