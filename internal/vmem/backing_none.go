//go:build (race && !(linux && amd64)) || (!race && (!(unix || windows) || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)))

package vmem

// GoHeap reports whether the memory of regions is on the Go heap.
const GoHeap = true

// fromBacking returns nil: regions are allocations on the Go heap.
func fromBacking(uintptr) address { return nil }

// reusable is false: the collector frees a retired mapping once nothing points into it, and until
// then its addresses are not reused.
func (mapping) reusable() bool { return false }
