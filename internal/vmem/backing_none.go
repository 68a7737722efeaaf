//go:build (race && !(linux && amd64)) || (!race && (!(unix || windows) || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)))

package vmem

// GoHeap reports whether the memory of regions is on the Go heap.
const GoHeap = true

// fromBacking returns nil, because regions are allocated on the Go heap.
func fromBacking(uintptr) address { return nil }

// reusable returns false. The collector frees a retired mapping when nothing points into it, and
// does not reuse its addresses before that.
func (mapping) reusable() bool { return false }
