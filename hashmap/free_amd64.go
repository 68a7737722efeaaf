//go:build unix && !race && !coppice_checks

package hashmap

// readsFreely says that readers take no lock. Each load of this processor sees what was there at
// least as late as the load before it, and each store is seen after the one before it: without
// that, a reader could find a quiet word after it has read what somebody changes. What is closed
// can still be read (vmem.ReserveWatched).
const readsFreely = true
