package hashmap

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrFull is wrapped by every error that says that a Map has no room for an entry. Either it holds
// Options.Max entries, or the system gives no more memory.
var ErrFull = errors.New("the map is full")

// ErrInvalid is wrapped by errors that say that a file is not a saved Map, or a damaged one, and
// ErrMismatch by those that say that it holds something else: another container, another version or
// other types. Both are the same errors in packages btree, hashmap, symbols and flat/forest.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// errDamaged is what Verify says. It is ErrInvalid.
var errDamaged = fromfile.Invalid("the map is damaged")

// HugePages says whether a Map asks the system for pages of 2 MiB. It is one type in all packages.
// They make fresh memory three to four times cheaper, and waste up to 2 MiB.
type HugePages = vmem.HugePages

// The choices. A system without huge pages ignores them.
const (
	HugePagesAuto = vmem.HugeAuto // from 16 MiB on
	HugePagesOn   = vmem.HugeOn   // from the first page on
	HugePagesOff  = vmem.HugeOff  // never
)

// Options sets how a Map takes memory. The zero Options is a good default.
type Options struct {
	// Max is the greatest count of entries. 0 means as many as fit into a 4096th of the free
	// addresses, which are a billion or so in the first Map of a 64-bit process. Where memory is
	// Go's (32-bit, wasm, -race), 0 means 16 MiB of pages.
	Max int

	// HugePages is whether to use pages of 2 MiB; the default does from 16 MiB on. A Set that comes
	// to a new one waits until the system has cleared it: 0.1 to 0.3 ms, and milliseconds on a
	// virtual machine whose host has to find the memory first. With HugePagesOff, pages of 4 KiB,
	// it waits for some microseconds, and a Get takes as long or up to a tenth longer, since the
	// processor keeps fewer addresses at hand (BenchmarkHugePages).
	HugePages HugePages

	// Shards is how many Maps a Sharded has at least, 256 at most; a Map ignores it. 0 stands for
	// 16 for each processor that Go uses, at most 256, and at most 8 where memory comes from Go
	// (32-bit, wasm, -race).
	Shards int

	// Name is what profiles call the Map; "" stands for its type.
	Name string

	// Verify makes OpenFile look at the whole file, as Map.Verify does. Without it, what is read is
	// checked as it is read. Files of types with a bool are always verified.
	Verify bool

	watched bool // the Map is a shard, which is read without a lock
}
