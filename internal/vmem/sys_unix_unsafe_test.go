//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import (
	"errors"
	"testing"
	"unsafe"
)

// If the operating system refuses a commit, Commit returns ErrNoMemory.
func TestRefusalOfTheSystem(t *testing.T) {
	r := reserve(t, 1<<20)
	defer r.Close()
	crooked := *r
	crooked.mapping.base = unsafe.Add(r.mapping.base, 1) // not the start of a page
	if err := crooked.Commit(1); !errors.Is(err, ErrNoMemory) || crooked.Committed() != 0 {
		t.Errorf("a commit that the system refuses gave %v", err)
	}
}
