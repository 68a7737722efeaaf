//go:build (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import "golang.org/x/sys/unix"

// mapNoReserve keeps address space out of what the kernel has promised to deliver.
const mapNoReserve = unix.MAP_NORESERVE

// advise asks for huge pages in the whole mapping, or for none. Kernels without
// them refuse, which changes nothing.
func (m mapping) advise(huge bool) {
	advice := unix.MADV_HUGEPAGE
	if !huge {
		advice = unix.MADV_NOHUGEPAGE
	}
	_ = unix.Madvise(m.bytes(0, m.size), advice)
}

// drop gives the pages back without a map more, and tells whether it could. They fault
// then or, if a map more would be needed for that, read as zero; what a stale pointer writes
// there stays.
func (m mapping) drop(start, end uintptr) bool {
	pages := m.bytes(start, end)
	if unix.Madvise(pages, unix.MADV_DONTNEED) != nil {
		return false
	}
	_ = unix.Mprotect(pages, m.left())
	return true
}
