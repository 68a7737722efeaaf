//go:build !(amd64 && unix) || race || coppice_checks

package hashmap

// readsFreely reports whether readers of a Sharded may read without the lock. In this build they
// need the lock for one of these reasons: the processor may reorder loads and stores, Windows
// unmaps memory that is closed, or the race detector and the checks must see each access.
const readsFreely = false
