//go:build unix && !race && !coppice_checks

package hashmap

// readsFreely reports whether readers of a Sharded may read without the lock. On this processor
// they may, because it does not reorder loads with other loads, or stores with other stores. On
// other processors, a reader could see part of a change in progress and still find the lock word
// unchanged. Even memory that has been closed can still be read (vmem.ReserveWatched).
const readsFreely = true
