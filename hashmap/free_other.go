//go:build !(amd64 && unix) || race || coppice_checks

package hashmap

// readsFreely reports whether readers take no lock. Here they take it: the processor may reorder
// loads and stores, Windows unmaps memory that is closed, or the race detector and the checks must
// see each use.
const readsFreely = false
