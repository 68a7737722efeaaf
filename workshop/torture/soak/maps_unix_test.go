//go:build unix

package main

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// mapOnePage maps one page of file until the end of the test.
func mapOnePage(t *testing.T, file *os.File) {
	page, err := unix.Mmap(int(file.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { unix.Munmap(page) })
}
