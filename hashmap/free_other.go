//go:build !(amd64 && unix) || race || coppice_checks

package hashmap

// readsFreely says that readers take no lock. Here they do: the processor may load and store in
// another order, Windows takes away what is closed, or the race detector and the checks are to see
// each use.
const readsFreely = false
