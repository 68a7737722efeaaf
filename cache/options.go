package cache

import (
	"errors"
	"time"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrTooLarge is wrapped by errors for an entry that would not fit into an empty shard.
var ErrTooLarge = errors.New("the entry is too large for the cache")

// ErrFull is wrapped by errors for an entry that cannot be stored, because the system has no memory
// and no other entry can be evicted.
var ErrFull = errors.New("the cache has no memory")

// ErrInvalid is wrapped by errors that report that a file is not a saved container or is damaged.
// ErrMismatch is wrapped by errors that report that the file contains a different container,
// version or types. Packages btree, cache, hashmap, symbols and flat/forest share both errors.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// NoExpiry is the time to live of an entry that never expires.
const NoExpiry time.Duration = 1<<63 - 1

// Options configures a Cache. MaxBytes must be set; the other fields have good defaults.
type Options struct {
	// MaxBytes is the maximum total memory of the Cache. SetMaximum changes the limit.
	MaxBytes int64

	// TTL is the time to live of entries; 0 means NoExpiry. SetTTL sets a different time for a
	// single entry.
	TTL time.Duration

	// ExpireAfterAccess is the time after the last access at which an entry expires. Each Get,
	// AppendGet, GetOrSet and GetOrLoad that finds the entry, and each Set, restarts this time. 0
	// means NoExpiry. ExpireAfterAccess cannot be combined with TTL. Entries stored by SetTTL
	// expire after their own time to live, even if they are used. ExpireAfterAccess costs a clock
	// reading and a store for each use.
	ExpireAfterAccess time.Duration

	// RefreshAfterWrite is the age at which entries are reloaded. If GetOrLoad finds an entry of at
	// least this age, it immediately returns the old value, and calls the load function in the
	// background. 0 means that entries are never reloaded. Entries that are not requested by
	// GetOrLoad are not reloaded. RefreshAfterWrite must be less than TTL. It costs 8 bytes for
	// each entry, and a clock reading for each GetOrLoad and each Set.
	RefreshAfterWrite time.Duration

	// Shards is the number of shards of the Cache, a power of two. Each shard has its own lock and
	// an equal share of the memory. An entry must fit into a single shard. 0 means about four
	// shards for each processor that Go uses, or fewer, so that each shard has at least 1 MiB.
	Shards int

	// Name identifies the Cache in store.Totals and in the profile "coppice". If it is empty, the
	// type of the Cache is used instead.
	Name string

	now func() time.Time // the clock; nil means time.Now, which tests can fake with testing/synctest
}

// Stats describes the contents and the history of a Cache. Clear does not reset the counts.
type Stats struct {
	Hits, Misses uint64 // calls of Get, AppendGet, GetOrSet and GetOrLoad that found a value, and calls that did not
	Evictions    uint64 // entries removed to make room for others, or because SetMaximum lowered the limit
	Expirations  uint64 // entries removed because they had expired
	Loads        uint64 // calls of load functions that returned a value, including background calls
	LoadFailures uint64 // such calls that returned an error, panicked, or exited their goroutine
	Len          int    // entries, including expired ones that have not been removed yet
	Bytes        uint64 // memory in use, at most Bound: entries, table, queues, and the part on the Go heap
	Bound        uint64 // Options.MaxBytes, or the limit of the last SetMaximum; while SetMaximum runs, the larger of the two limits
}

// HitRatio returns the fraction of calls that found a value, or 0 if there were no calls.
func (s Stats) HitRatio() float64 {
	if s.Hits == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Misses)
}
