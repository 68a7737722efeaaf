// Package pool recycles values: a sync.Pool with a type, a reset function and a
// bound on the size of what it keeps.
//
// # The main danger
//
// After [Pool.Put] the value may belong to another owner. If you use it, or put it a
// second time, two owners share one value: memory stays sound, the data does not. Checked
// builds (-tags coppice_checks, or -race) look for both mistakes, and panic with the line of
// the first Put. In such a build a value rests until sixteen more were put, before it
// is handed out again.
//
//   - A second Put panics at once if it comes while the value rests. If it comes later, the Get
//     panics that would hand the value out while it rests again; and if none does, two owners
//     may have it, as in other builds.
//   - A write while the value rests panics when the pool is used next, if values are no longer than
//     256 bytes; in a pool of longer ones at the latest when the rest ends. A write after the rest
//     panics when the value would be handed out. Of a value the first 64 KiB are looked at, nothing
//     that it points to, and of a sync.Pool in it only New: the collector writes the other fields.
//   - A read after Put is not found; it sees what the reset left. Nor is anything
//     after the next owner's Get, or in a value that the collector has taken from the pool.
//
// In a checked build a Get and a Put cost some microseconds, and some more for values of many
// KiB, but no more for a pool of many values. It holds on to the sixteen values that rest.
//
// # The price
//
// A Get and a Put together cost about 10 ns. The collector empties the pool within two
// cycles, so do not rely on a value being kept. A pool pays for values that are expensive to
// make (buffers, encoders, a whole slab.Slab). It hardly ever pays for small nodes: on trees
// of 16-byte nodes one sync.Pool for the nodes is as slow as plain new.
//
// # When to use something else
//
// For many small values that die together use package slab, and keep the Slab in a Pool
// between phases. For a fixed number of expensive resources (connections, file handles) use
// a channel or a list: a Pool may drop its values at any time without closing them. If you
// need a value once a second, make a new one.
package pool
