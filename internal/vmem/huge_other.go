//go:build !linux || race || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package vmem

// mapNoReserve is 0: these systems do not account for a mapping without access.
const mapNoReserve = 0

// advise does nothing on these systems.
func (mapping) advise(bool) {}

// drop returns false: only Linux guarantees that dropped pages are zero afterwards.
func (mapping) drop(_, _ uintptr) bool { return false }
