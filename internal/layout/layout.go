// Package layout contains declarations that several allocators use in the layout of their data: a
// field that forbids copies, and two machine-dependent sizes.
package layout

// NoCopy is the type of a field that makes `go vet` report copies of the struct around it. It
// occupies no memory unless it is the last field.
type NoCopy struct{}

// Lock does nothing. `go vet` considers a type with Lock and Unlock to be a lock.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}

// CacheLine is the size in bytes of a cache line, the unit of memory that processors exchange. A
// struct that ends with CacheLine unused bytes does not share a line with the next struct in
// memory. Some processors fetch pairs of lines, but the data after the struct is written rarely.
const CacheLine = 64

// MaxBytes is the maximum size of one allocation, so that an absurd count panics with a clear
// message: 2 GiB on 32-bit machines, 128 TiB on others, minus one byte.
const MaxBytes = 1<<(31+16*(^uint(0)>>63)) - 1
