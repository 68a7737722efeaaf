package btree

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrFull is wrapped by every error that reports that a Map has no room for an entry. Either the
// Map contains Options.Max entries, or the system has no more memory.
var ErrFull = errors.New("the map is full")

// ErrInvalid is wrapped by errors that report that a file is not a saved container or is damaged.
// ErrMismatch is wrapped by errors that report that the file contains a different container,
// version or types. Packages btree, cache, hashmap, symbols and flat/forest share both errors.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// errDamaged is wrapped by the errors that Verify returns. It matches ErrInvalid.
var errDamaged = fromfile.Invalid("the tree is damaged")

// HugePages controls whether a Map requests 2 MiB pages from the system. All packages of this
// module share the type. With huge pages, the first use of fresh memory takes a quarter to a third
// of the time, but up to 2 MiB of memory is wasted.
type HugePages = vmem.HugePages

// These are the values of HugePages. They have no effect on a system without huge pages.
const (
	HugePagesAuto = vmem.HugeAuto // from 16 MiB on
	HugePagesOn   = vmem.HugeOn   // from the first page on
	HugePagesOff  = vmem.HugeOff  // never
)

// Options configures a Map. The zero Options is a good default.
type Options struct {
	// Max is the maximum number of entries. 0 means as many as fit into 1/4096 of the free address
	// space, about two billion in the first Map of a 64-bit process. Where maps use Go memory
	// (32-bit, wasm, -race), 0 means 16 MiB of nodes.
	Max int

	// HugePages selects whether the Map uses 2 MiB pages. By default, it uses them once it has 16
	// MiB of memory. A Set that touches a new huge page waits until the system has cleared it: 0.1
	// to 0.3 ms, and milliseconds on a virtual machine whose hypervisor must first find the memory.
	// With HugePagesOff, pages are 4 KiB. A Set that touches a new page then waits only a few
	// microseconds, but a Get takes up to a tenth longer, because of TLB misses.
	HugePages HugePages

	// Name identifies the Map in profiles. If it is empty, the type of the Map is used instead.
	Name string

	// Ranked makes the Map maintain the number of entries below each node, which GetAt, Rank and
	// DeleteAt require. Inserting or removing a key then changes a count on each level, and inner
	// nodes have room for up to a third fewer children. A ranked Map has at most 2^32-1 entries. A
	// Map that was ranked when it was saved is also ranked after OpenFile, regardless of this
	// option. If the saved Map was not ranked, OpenFile with Ranked verifies and copies all
	// entries.
	Ranked bool

	// Verify makes OpenFile check the whole file, as Map.Verify does. Without it, entries are
	// checked as they are read. Files of types with a bool are always verified.
	Verify bool
}
