// Package layout contains declarations that several allocators use to define the layout of their
// data: the type of a field that forbids copies, and two machine-dependent sizes.
package layout

// NoCopy is the type of a field that makes `go vet` report copies of the enclosing struct. The
// field occupies no memory unless it is the last field.
type NoCopy struct{}

// Lock does nothing. It exists because `go vet` considers a type with the methods Lock and Unlock
// to be a lock.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}

// CacheLine is the size in bytes of a cache line, the unit of memory that processors exchange. If a
// struct ends with CacheLine unused bytes, its other fields do not share a cache line with the next
// struct in memory. Some processors fetch pairs of cache lines, but more padding is not needed,
// because the data after the struct is written rarely.
const CacheLine = 64

// MaxBytes is the maximum size of one allocation: 2 GiB minus one byte on 32-bit machines, and 128
// TiB minus one byte on other machines. With this limit, an absurdly large count causes a panic
// with a clear message.
const MaxBytes = 1<<(31+16*(^uint(0)>>63)) - 1
