package hashmap

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrFull is wrapped by every error that reports that a Map has no room for an entry. There are
// four possible reasons: the Map contains Options.Max entries, it has used all the memory that it
// reserved, it has too many keys with nearly the same hash, or the system has no more memory.
var ErrFull = errors.New("the map is full")

// ErrInvalid is wrapped by errors that report that a file is not a saved container or is damaged.
// ErrMismatch is wrapped by errors that report that a file contains a different container, version
// or types than expected. Packages btree, cache, hashmap, symbols and flat/forest share these two
// errors.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// errDamaged is wrapped by the errors that Verify returns. It matches ErrInvalid.
var errDamaged = fromfile.Invalid("the map is damaged")

// HugePages controls whether a Map requests 2 MiB pages from the system. All packages share this
// type. With huge pages, the first use of fresh memory takes only a quarter to a third of the time,
// but up to 2 MiB of memory are wasted.
type HugePages = vmem.HugePages

// These are the values of HugePages. A system without huge pages ignores them.
const (
	HugePagesAuto = vmem.HugeAuto // from 16 MiB on
	HugePagesOn   = vmem.HugeOn   // from the first page on
	HugePagesOff  = vmem.HugeOff  // never
)

// Options controls how a Map allocates memory. The zero Options is a good default.
type Options struct {
	// Max is the maximum number of entries. If it is 0, the pages may use 1/4096 of the free
	// address space, which is enough for about a billion entries in the first Map of a 64-bit
	// process. Where maps use Go memory (32-bit, wasm, -race), they may then use 16 MiB.
	Max int

	// HugePages selects whether the Map uses 2 MiB pages of the system. By default, it uses them
	// once its memory exceeds 16 MiB. A Set that touches a new huge page waits until the system has
	// cleared it, which takes 0.1 to 0.3 ms, or milliseconds on a virtual machine whose hypervisor
	// must first find the memory. With HugePagesOff, the Map uses 4 KiB pages. A Set that touches a
	// new page then waits only a few microseconds, but a Get takes up to a tenth longer, because of
	// TLB misses (BenchmarkHugePages).
	HugePages HugePages

	// Shards is the minimum number of Maps in a Sharded; a Map ignores it. It must not exceed 256.
	// If it is 0, a Sharded has 16 Maps for each processor that Go uses, but at most 256, and at
	// most 8 where maps use Go memory (32-bit, wasm, -race).
	Shards int

	// Name identifies the Map in profiles. If it is empty, the type of the Map is its name.
	Name string

	// Verify makes OpenFile check the whole file, as Map.Verify does. If it is false, entries are
	// checked when they are read. A file whose keys or values contain a bool is always verified.
	Verify bool

	watched bool // the Map is a shard, which is read without a lock
}
