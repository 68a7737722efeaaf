package hashmap

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrFull is wrapped by every error that reports that a Map has no room for an entry. There are
// four possible reasons: the Map contains Options.Max entries, it has used all memory that it
// reserved, it has too many keys with nearly the same hash, or the system has no more memory.
var ErrFull = errors.New("the map is full")

// ErrInvalid is wrapped by errors that report that a file is not a saved container or is damaged.
// ErrMismatch is wrapped by errors that report that the file contains something else: a different
// container, version or types. Packages btree, cache, hashmap, symbols and flat/forest share both
// errors.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// errDamaged is wrapped by the errors that Verify returns. It matches ErrInvalid.
var errDamaged = fromfile.Invalid("the map is damaged")

// HugePages controls whether a Map requests pages of 2 MiB from the system. All packages share this
// type. With huge pages, the first use of fresh memory takes a quarter to a third of the time, but
// up to 2 MiB of memory are wasted.
type HugePages = vmem.HugePages

// The values of HugePages. A system without huge pages ignores them.
const (
	HugePagesAuto = vmem.HugeAuto // from 16 MiB on
	HugePagesOn   = vmem.HugeOn   // from the first page on
	HugePagesOff  = vmem.HugeOff  // never
)

// Options controls how a Map allocates memory. The zero Options is a good default.
type Options struct {
	// Max is the maximum number of entries. 0 means as many as fit into 1/4096 of the free address
	// space, about a billion in the first Map of a 64-bit process. Where maps use Go memory
	// (32-bit, wasm, -race), 0 means 16 MiB of pages.
	Max int

	// HugePages selects whether the Map uses pages of 2 MiB. By default, it uses them once it has
	// 16 MiB. A Set that touches a new huge page waits until the system has cleared it: 0.1 to 0.3
	// ms, and milliseconds on a virtual machine whose hypervisor must first find the memory. With
	// HugePagesOff, pages have 4 KiB. A Set that touches a new page then waits for only some
	// microseconds, but a Get takes up to a tenth longer, because of TLB misses
	// (BenchmarkHugePages).
	HugePages HugePages

	// Shards is the minimum number of Maps in a Sharded, at most 256; a Map ignores it. 0 means 16
	// for each processor that Go uses, at most 256, and at most 8 where maps use Go memory (32-bit,
	// wasm, -race).
	Shards int

	// Name identifies the Map in profiles; "" means its type.
	Name string

	// Verify makes OpenFile check the whole file, as Map.Verify does. Without it, entries are
	// checked as they are read. Files of types with a bool are always verified.
	Verify bool

	watched bool // the Map is a shard, which is read without a lock
}
