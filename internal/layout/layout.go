// Package layout holds what the structs of several allocators are laid out with: a field that
// forbids copies, and the two sizes of the machine that they count with.
package layout

// NoCopy is the type of a field that makes `go vet` report copies of the struct around it. It
// takes no room, unless it is the last field.
type NoCopy struct{}

// Lock does nothing. `go vet` takes what has a Lock and an Unlock for a lock.
func (*NoCopy) Lock() {}

// Unlock does nothing.
func (*NoCopy) Unlock() {}

// CacheLine is the size of what processors hand to each other, in bytes. A struct that ends in so
// many unused bytes shares no line with the one behind it. Some processors fetch two lines
// at a time; but what follows in the pair is written rarely.
const CacheLine = 64

// MaxBytes bounds one allocation, so that an absurd count panics with a clear message: 2 GiB on
// 32-bit machines, 128 TiB on others, less one byte.
const MaxBytes = 1<<(31+16*(^uint(0)>>63)) - 1
