// Package pool recycles values: a sync.Pool with a type, a reset function and a
// bound on the size of what it keeps.
//
// # The main danger
//
// After [Pool.Put] the value belongs to somebody else. Using it, or putting it a
// second time, makes two owners share one value: memory stays sound, the data
// does not. In checked builds (-tags coppice_checks, or -race) a value rests for
// a while before it is handed out again, and both mistakes panic naming the line
// of the first Put: a second Put at once, a write when the pool is used next. A
// read after Put is not found; it sees what the reset left.
//
// # The price
//
// A Get and a Put together cost about 10 ns, and the collector empties the pool
// within two cycles: what is kept is a saving, never a promise. So a pool pays for
// values that are dear to make (buffers, encoders, a whole slab.Slab) and hardly
// ever for a small node: on trees of 16-byte nodes sync.Pool per node is as slow
// as plain new.
//
// # When to use something else
//
// For many small values with one end of life use package slab, with the Slab in a
// Pool if phases come and go. For a fixed number of dear resources (connections,
// file handles) use a channel or a list: a Pool may forget its values at any time
// without closing them. If a value is made once a second, make it.
package pool
