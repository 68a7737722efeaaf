//go:build unix && !race && !coppice_checks

package hashmap

// readsFreely reports whether readers of a Sharded need no lock. On this processor they need none,
// because loads are not reordered with other loads, and stores are not reordered with other stores.
// On other processors, a reader could read data of a change in progress and still find the lock
// word unchanged. Memory that was closed can still be read (vmem.ReserveWatched).
const readsFreely = true
