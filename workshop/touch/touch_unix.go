//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// touch maps size bytes of new memory, writes to each of its pages, and returns it to the system.
// It requests the memory in pieces, and keeps all pieces until the last one is written: otherwise
// the kernel would provide the same memory again.
func touch(size, piece uint64) (err error) {
	var pieces [][]byte
	defer func() {
		for _, p := range pieces {
			err = errors.Join(err, unix.Munmap(p))
		}
	}()
	for done := uint64(0); done < size; done += piece {
		p, err := unix.Mmap(-1, 0, int(min(piece, size-done)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return fmt.Errorf("%w: the system refuses memory after %d bytes", err, done)
		}
		pieces = append(pieces, p)
		for i := 0; i < len(p); i += os.Getpagesize() {
			p[i] = 1
		}
	}
	return nil
}
