//go:build !linux || race || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package vmem

// mapNoReserve is 0, because these systems do not count an inaccessible mapping as committed
// memory.
const mapNoReserve = 0

// advise does nothing on these systems.
func (mapping) advise(bool) {}

// drop returns false. Only Linux guarantees that dropped pages are zero afterwards.
func (mapping) drop(_, _ uintptr) bool { return false }
