package store

import (
	"io"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A Total is the memory of all open stores with the same name.
type Total struct {
	Name      string
	Stores    int
	Reserved  uint64 // bytes of reserved address space, which use no memory
	Committed uint64 // bytes of committed memory; the system counts only the pages that were touched
}

// Totals returns a Total for each name of an open store or of another open container, sorted by
// name. Neither the Go heap's statistics nor GOMEMLIMIT include the bytes in a Total (but see
// AdjustMemoryLimit). The exception is a map of less than 32 KiB, which is on the Go heap.
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

// WriteProfile writes a profile of all open stores for go tool pprof. For each call stack that
// created stores, it contains the number of these stores, and their reserved and committed bytes.
// The runtime's profile "coppice" (pprof.Lookup, /debug/pprof/coppice) contains only the numbers. A
// map appears in that profile once it exceeds 32 KiB, with the call stack that made it grow beyond
// that size. Before that, it is in the runtime's heap profile.
func WriteProfile(w io.Writer) error { return vmem.WriteProfile(w) }

// AdjustMemoryLimit turns the adjustment of the Go memory limit (GOMEMLIMIT) on or off; the default
// is off. While it is on, the limit is the one that you set minus the bytes that stores have
// committed, so that the Go heap and the stores together stay within your limit. A limit that you
// set later with debug.SetMemoryLimit is adjusted too. The limit is never lowered below 16 MiB. If
// you set no limit, AdjustMemoryLimit has no effect.
func AdjustMemoryLimit(on bool) { vmem.AdjustLimit(on) }
