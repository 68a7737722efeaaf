package cache

import (
	"errors"
	"time"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrTooLarge is wrapped by errors for an entry that would not fit into a shard if it were the only
// one.
var ErrTooLarge = errors.New("the entry is too large for the cache")

// ErrFull is wrapped by errors for an entry that the system gives no memory for, when there is
// nothing that could be evicted.
var ErrFull = errors.New("the cache has no memory")

// ErrInvalid is wrapped by errors that say that a file is not a saved Cache, or a damaged one, and
// ErrMismatch by those that say that it holds something else: another container, another version or
// other types. Both are the same errors in packages btree, hashmap, symbols and flat/forest.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// NoExpiry is a time to live that never ends.
const NoExpiry time.Duration = 1<<63 - 1

// Options sets how a Cache works. MaxBytes must be set; the rest has good defaults.
type Options struct {
	// MaxBytes is how much memory the Cache takes at most, for all that it has. SetMaximum changes
	// it.
	MaxBytes int64

	// TTL is how long an entry lives that Set puts; 0 stands for NoExpiry. SetTTL has one for each
	// entry.
	TTL time.Duration

	// ExpireAfterAccess is how long an entry lives that nobody uses: Get, AppendGet, GetOrSet and
	// GetOrLoad that find it, and Set, begin its time anew. 0 stands for NoExpiry. It cannot be set
	// beside TTL. Entries of SetTTL live for their own time, whether they are used or not. It costs
	// a look at the clock and a store for each use.
	ExpireAfterAccess time.Duration

	// RefreshAfterWrite is the age from which GetOrLoad loads a new value of an entry that it
	// finds: it returns the old one at once, and calls its function in the background. 0 stands for
	// never. Entries that no GetOrLoad asks for are not loaded. It must be less than TTL. It costs
	// 8 bytes for each entry, and a look at the clock for each GetOrLoad and each Set.
	RefreshAfterWrite time.Duration

	// Shards is how many parts the Cache has, a power of two, each with a lock of its own and an
	// equal share of the bytes. An entry must fit into one. 0 stands for four for each processor
	// that Go uses, or fewer, so that each has 1 MiB or more.
	Shards int

	// Name is what store.Totals and the profile "coppice" call the Cache; "" stands for its type.
	Name string

	now func() time.Time // the clock; nil stands for time.Now, which tests of users replace by testing/synctest
}

// Stats says what a Cache holds and has done since it was made. Clear does not set the counts back.
type Stats struct {
	Hits, Misses uint64 // calls of Get, AppendGet, GetOrSet and GetOrLoad that found a value, and that did not
	Evictions    uint64 // entries that had to go to make room for others, or because SetMaximum lowered the bound
	Expirations  uint64 // entries that went because their time had come
	Loads        uint64 // calls of a function of GetOrLoad that returned a value, in the background too
	LoadFailures uint64 // those that returned an error, panicked, or ended their goroutine
	Len          int    // those that are there, with those whose time has come and that nobody has met since
	Bytes        uint64 // memory in use, at most Bound: entries, table, queues, and what the Cache has of the Go heap
	Bound        uint64 // Options.MaxBytes, or what SetMaximum set last; while that runs, the greater of both
}

// HitRatio returns the share of calls that found a value, 0 if there were none.
func (s Stats) HitRatio() float64 {
	if s.Hits == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Misses)
}
