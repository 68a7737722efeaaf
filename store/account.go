package store

import (
	"io"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A Total describes the memory of all open stores with the same name.
type Total struct {
	Name      string
	Stores    int
	Reserved  uint64 // bytes of reserved address space, which use no memory
	Committed uint64 // bytes of committed memory; the system counts only the pages that were touched
}

// Totals returns a Total for each name of an open store or of another open container, sorted by
// name. The bytes in a Total are included neither in the Go heap's statistics nor in GOMEMLIMIT
// (but see AdjustMemoryLimit). The exception is a map of less than 32 KiB, which is on the Go heap.
func Totals() []Total {
	var totals []Total
	for _, a := range vmem.Accounts() { // sorted by name
		if n := len(totals); n == 0 || totals[n-1].Name != a.Name {
			totals = append(totals, Total{Name: a.Name})
		}
		t := &totals[len(totals)-1]
		t.Stores++
		t.Reserved += a.Reserved
		t.Committed += a.Committed
	}
	return totals
}

// WriteProfile writes a profile for go tool pprof: each open store under the call stack that
// created it, with its count, its reserved bytes and its committed bytes. The runtime's profile
// "coppice" (pprof.Lookup, /debug/pprof/coppice) has only counts. A map appears in that profile
// once it exceeds 32 KiB, with the call stack that made it grow beyond that size. Before that, it
// is in the runtime's heap profile.
func WriteProfile(w io.Writer) error { return vmem.WriteProfile(w) }

// AdjustMemoryLimit turns the following adjustment on or off; the default is off. While it is on,
// the Go memory limit (GOMEMLIMIT) is the limit that you set minus the bytes that stores have
// committed, so that the Go heap and the stores together stay within your limit. A limit that you
// set later with debug.SetMemoryLimit is adjusted too. The limit is never lowered below 16 MiB.
// Without a limit, AdjustMemoryLimit has no effect.
func AdjustMemoryLimit(on bool) { vmem.AdjustLimit(on) }
