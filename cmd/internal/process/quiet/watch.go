package quiet

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Watch measures how much processor time other processes use during a period, such as a
// measurement.
type Watch struct {
	busy, all, own uint64
	known          bool
}

// Begin starts a Watch.
func Begin() (w Watch) {
	var sum, mine bool
	w.busy, w.all, sum = ticks()
	w.own, mine = ownTicks()
	w.known = sum && mine
	return w
}

// Others returns the number of processors that other processes kept busy since the watch began. The
// result excludes this process and its children that have ended.
func (w Watch) Others() (processors float64, known bool) {
	now := Begin()
	if !w.known || !now.known || now.all <= w.all {
		return 0, false
	}
	others := float64(now.busy-w.busy) - float64(now.own-w.own)
	return max(0, others) / float64(now.all-w.all) * float64(runtime.NumCPU()), true
}

// Disturbs reports whether the given number of busy processors is too high for a quiet machine.
func Disturbs(processors float64) bool { return processors > Most*float64(runtime.NumCPU()) }

// ownTicks returns the processor time of this process and of its children that have ended, in clock
// ticks.
func ownTicks() (own uint64, ok bool) {
	text, err := os.ReadFile(filepath.Join(proc, "self", "stat"))
	if err != nil {
		return 0, false
	}
	// The second field is a name in parentheses, which may itself contain spaces and parentheses.
	// The times are fields 14 to 17.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const first = 14 - 3
	if len(fields) < first+4 {
		return 0, false
	}
	for _, field := range fields[first : first+4] {
		var n uint64
		if _, err := fmt.Sscan(field, &n); err != nil {
			return 0, false
		}
		own += n
	}
	return own, true
}
