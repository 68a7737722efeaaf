//go:build !linux || race || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package vmem

// mapNoReserve is 0: these systems promise no memory for a mapping without access.
const mapNoReserve = 0

// advise does nothing: there is nobody to ask.
func (mapping) advise(bool) {}

// drop could not: only Linux says that dropped pages are zero when they come again.
func (mapping) drop(_, _ uintptr) bool { return false }
