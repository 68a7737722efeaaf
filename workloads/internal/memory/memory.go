// Package memory determines how much memory this process may use, so that a workload can check
// whether it fits.
package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"strconv"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// GoMemLimit is the Source of a Limit that the user set for the Go runtime.
const GoMemLimit = "GOMEMLIMIT"

// A Limit is the least of the bounds on this process's memory.
type Limit struct {
	Bytes  uint64
	Source string // the origin of the limit, as a phrase: "the machine's memory"
}

// LeastLimit returns the least of GOMEMLIMIT, the cgroup's limit, the machine's memory and the
// address space. A bound that cannot be read is ignored.
func LeastLimit() Limit {
	least := Limit{addressSpace, fmt.Sprintf("the %d-bit address space", strconv.IntSize)}
	for _, bound := range []struct {
		read   func() (uint64, error)
		source string
	}{
		{memlimit.FromSystem, "the machine's memory"},
		{memlimit.FromCgroup, "the cgroup's limit"},
		{goMemLimit, GoMemLimit},
	} {
		if bytes, err := bound.read(); err == nil && bytes > 0 && bytes < least.Bytes {
			least = Limit{bytes, bound.source}
		}
	}
	return least
}

// addressSpace is 3 GiB on 32-bit machines, where the system uses the rest, and 128 TiB on
// others.
const addressSpace = 3<<30*(1-is64Bit) + 1<<47*is64Bit

const is64Bit = uint64(^uint(0) >> 63)

// goMemLimit returns the memory limit in effect in the Go runtime.
func goMemLimit() (uint64, error) {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0, memlimit.ErrNoLimit
	}
	return uint64(limit), nil
}
