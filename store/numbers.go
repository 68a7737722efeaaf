package store

import (
	"fmt"
	"sort"
	"sync"
)

// A handle is a number of 63 bits: a generation, the index of a slot, and the class
// of that index, which says how many bits it has.
//
//	62 ..................... 3+w  2+w ...... 3  2 ... 0
//	generation, 60-w bits         index, w bits  class
//
// Each class has generations of its own: one sequence in the process, of which a
// Handles leases ranges. A generation of a class is a number for each of its slots. So
// a slot with a small index costs few numbers, however many slots there may be one
// day, and what a small Handles leases is of no use to slots that it will never have.
//
// When a slot has used up all generations that its Handles leased it is worn: it rests, and another
// is used. Only when rest(class) slots of a class are worn, the Handles leases more for that class,
// and all of them can be used again. That is what makes the numbers last: see docs/decisions/0004
// for the arithmetic, and TestNumbersLast, which computes it.
const (
	classBits = 3
	classes   = 1 << classBits

	// pointBits are the bits of a generation and an index together.
	pointBits = 63 - classBits

	// restShift says how many slots rest before a lease: 1 of 2^restShift of the
	// indexes of their class.
	restShift = 10
)

// indexMask is the greatest index of each class.
var indexMask = [classes]uint64{1<<4 - 1, 1<<8 - 1, 1<<12 - 1, 1<<16 - 1, 1<<20 - 1, 1<<24 - 1, 1<<28 - 1, 1<<32 - 1}

// indexBits is the width of an index of the class.
func indexBits(class int) uint { return uint(4*class + 4) }

// classOf returns the class of a slot: the narrowest that has its index.
func classOf(slot uint32) int {
	class := 0
	for uint64(slot) > indexMask[class] {
		class++
	}
	return class
}

// rest is how many slots of the class are worn before more generations are leased.
func rest(class int) int { return int(max(1, (indexMask[class]+1)>>restShift)) }

// spare is how many slots a Handles of so many records has beyond those. They are so
// many that some class has rest slots that are worn whenever no other is free: of
// each class one less may be waiting.
func spare(records uint64) (slots uint64) {
	for class := range classes {
		slots += uint64(rest(class)) - 1
		if records+slots <= indexMask[class] {
			break
		}
	}
	return slots
}

// generationsOf is how many generations the class has in the process.
func generationsOf(class int) uint64 { return 1 << (pointBits - indexBits(class)) }

// handleOf puts a handle together.
func handleOf(generation uint64, slot uint32, class int) uint64 {
	return (generation<<indexBits(class)|uint64(slot))<<classBits | uint64(class)
}

// generations are those of each class that nobody has leased.
type generations struct {
	sync.Mutex
	next, end [classes]uint64
}

// numbers are the generations of the process. Tests give their Handles fewer.
var numbers = allGenerations()

func allGenerations() *generations {
	g := &generations{}
	for class := range classes {
		g.end[class] = generationsOf(class)
	}
	return g
}

// take takes n generations of the class, or as many as are left.
func (g *generations) take(class int, n uint64) lease {
	g.Lock()
	defer g.Unlock()
	start := g.next[class]
	g.next[class] += min(n, g.end[class]-start)
	return lease{start, g.next[class]}
}

// A lease is a range of generations that belong to one Handles for ever.
type lease struct{ start, end uint64 }

// The first lease of a class, in generations, and how many of the greatest there are
// in the process. A lease is as large as all before it together, so that a Handles
// wastes half of what it took at most, and has no long list of leases.
const (
	firstLease     = 4
	greatestLeases = 1 << 14
)

// leases are what a Handles has leased of one class, ascending, and those of the
// class's slots that have used up all of it.
type leases struct {
	ranges []lease
	total  uint64 // generations in ranges
	worn   []uint32
}

// more leases generations, and reports whether there were any.
func (l *leases) more(class int, from *generations) bool {
	taken := from.take(class, max(firstLease, min(l.total, generationsOf(class)/greatestLeases)))
	if taken.start == taken.end {
		return false
	}
	l.ranges = append(l.ranges, taken)
	l.total += taken.end - taken.start
	return true
}

// after returns the generation that follows, and false if no more are leased.
func (l *leases) after(generation uint64) (uint64, bool) {
	n := len(l.ranges)
	i := n - 1 // where most are
	if generation < l.ranges[i].start {
		i = sort.Search(n, func(i int) bool { return generation < l.ranges[i].end })
	}
	switch {
	case generation+1 < l.ranges[i].end:
		return generation + 1, true
	case i+1 < n:
		return l.ranges[i+1].start, true
	}
	return 0, false
}

// following returns the handle that follows number on the slot, where 0 stands for
// none yet, and 0 if the slot is worn.
func (l *leases) following(number uint64, slot uint32, class int) uint64 {
	if number == 0 {
		if len(l.ranges) == 0 {
			return 0
		}
		return handleOf(l.ranges[0].start, slot, class)
	}
	next, ok := l.after(number >> (classBits + indexBits(class)))
	if !ok {
		return 0
	}
	return handleOf(next, slot, class)
}

// noNumbers says that slots are free, and none has a number left.
func noNumbers(live, most, worn int) error {
	return fmt.Errorf("the numbers of handles have run out: it holds %d of at most %d records, and this process has no new number for the %d free slots; only another process has",
		live, most, worn)
}
