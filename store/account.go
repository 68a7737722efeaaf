package store

import (
	"io"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A Total is the sum of what all open stores of one name have.
type Total struct {
	Name      string
	Stores    int
	Reserved  uint64 // bytes of addresses, which cost nothing
	Committed uint64 // bytes of memory; the system counts those that were touched
}

// Totals returns the open stores, summed up by name and sorted by it, and all other open containers
// with them. Neither the Go heap's statistics nor GOMEMLIMIT know of these bytes (but see
// AdjustMemoryLimit), except for what maps of less than 32 KiB have, which is in the Go heap.
func Totals() []Total {
	var totals []Total
	for _, a := range vmem.Accounts() { // which are sorted by name
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

// WriteProfile writes a profile for go tool pprof: every open store by the stack that
// made it, with its count, the bytes reserved and the bytes in use. The runtime's
// profile "coppice" (pprof.Lookup, /debug/pprof/coppice) has counts only. A map is in that one
// when it has more than 32 KiB, with the stack of the call that made it so large; before, it is in
// the runtime's heap profile.
func WriteProfile(w io.Writer) error { return vmem.WriteProfile(w) }

// AdjustMemoryLimit turns the following on or off; the default is off. While on, the Go
// memory limit (GOMEMLIMIT) is what you set less the bytes that stores have committed, so
// that the Go heap and the stores together stay within what you set. A limit that you set later
// with debug.SetMemoryLimit is adjusted too. The limit is never lowered below 16 MiB, and
// without a limit nothing happens.
func AdjustMemoryLimit(on bool) { vmem.AdjustLimit(on) }
