//go:build unix && !race && !coppice_checks

package hashmap

// readsFreely reports that readers take no lock. On this processor, loads are not reordered with
// other loads, nor stores with other stores. Otherwise a reader could see the lock word unchanged
// after it has read data of a change in progress. Memory that was closed can still be read
// (vmem.ReserveWatched).
const readsFreely = true
