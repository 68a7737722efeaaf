//go:build (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import "golang.org/x/sys/unix"

// mapNoReserve excludes address space from the kernel's commit accounting.
const mapNoReserve = unix.MAP_NORESERVE

// advise enables or disables huge pages for the whole mapping. It ignores the error of kernels
// without huge pages.
func (m mapping) advise(huge bool) {
	advice := unix.MADV_HUGEPAGE
	if !huge {
		advice = unix.MADV_NOHUGEPAGE
	}
	_ = unix.Madvise(m.bytes(0, m.size), advice)
}

// drop releases the pages without an additional mapping, and reports whether it succeeded. An
// access then faults, unless protecting the pages would need an additional mapping. In that case
// they read as zero, and a write through a stale pointer persists.
func (m mapping) drop(start, end uintptr) bool {
	pages := m.bytes(start, end)
	if unix.Madvise(pages, unix.MADV_DONTNEED) != nil {
		return false
	}
	_ = unix.Mprotect(pages, m.left())
	return true
}
