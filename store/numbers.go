package store

import (
	"fmt"
	"sort"
	"sync"
)

// A handle is a 63-bit number. It consists of a generation, the index of a slot, and the class of
// the index. The class determines the width of the index.
//
//	62 ..................... 3+w  2+w ...... 3  2 ... 0
//	generation, 60-w bits         index, w bits  class
//
// The process has a sequence of generations for each class, and each Handles leases ranges of these
// sequences. One generation of a class contains one number for each slot of the class. Therefore a
// generation for slots with small indexes contains few numbers, however many slots a Handles may
// have later, and a small Handles does not lease numbers for slots that it never has.
//
// A slot that has used up all generations leased by its Handles is worn: it is out of use, and
// another slot is used instead. The Handles leases more generations for a class only when
// rest(class) slots of the class are worn. All of these slots then become usable again. This makes
// the supply of numbers last long: docs/decisions/0004 contains the arithmetic, and TestNumbersLast
// computes it.
const (
	classBits = 3
	classes   = 1 << classBits

	// pointBits is the width of a generation and an index together.
	pointBits = 63 - classBits

	// restShift determines how many slots must be worn before more generations are leased: one in
	// 2^restShift of the indexes of a class.
	restShift = 10
)

// indexMask is the largest index of each class.
var indexMask = [classes]uint64{1<<4 - 1, 1<<8 - 1, 1<<12 - 1, 1<<16 - 1, 1<<20 - 1, 1<<24 - 1, 1<<28 - 1, 1<<32 - 1}

// indexBits returns the width of an index in the class.
func indexBits(class int) uint { return uint(4*class + 4) }

// classOf returns the class of a slot: the smallest class that contains the slot's index.
func classOf(slot uint32) int {
	class := 0
	for uint64(slot) > indexMask[class] {
		class++
	}
	return class
}

// rest returns the number of slots of the class that must be worn before more generations are
// leased.
func rest(class int) int { return int(max(1, (indexMask[class]+1)>>restShift)) }

// spare returns the number of additional slots that a Handles with the given number of records
// needs. It is the sum of rest(class)-1 over the classes in use. If every free slot is worn, at
// least one class therefore has rest(class) worn slots.
func spare(records uint64) (slots uint64) {
	for class := range classes {
		slots += uint64(rest(class)) - 1
		if records+slots <= indexMask[class] {
			break
		}
	}
	return slots
}

// generationsOf returns the number of generations of the class in the process.
func generationsOf(class int) uint64 { return 1 << (pointBits - indexBits(class)) }

// handleOf returns the handle with the given generation, slot and class.
func handleOf(generation uint64, slot uint32, class int) uint64 {
	return (generation<<indexBits(class)|uint64(slot))<<classBits | uint64(class)
}

// generations records which generations of each class have not been leased.
type generations struct {
	sync.Mutex
	next, end [classes]uint64
}

// numbers contains the unleased generations of the process. Tests give their Handles fewer
// generations.
var numbers = allGenerations()

func allGenerations() *generations {
	g := &generations{}
	for class := range classes {
		g.end[class] = generationsOf(class)
	}
	return g
}

// take leases n generations of the class, or as many as are left.
func (g *generations) take(class int, n uint64) lease {
	g.Lock()
	defer g.Unlock()
	start := g.next[class]
	g.next[class] += min(n, g.end[class]-start)
	return lease{start, g.next[class]}
}

// A lease is a range of generations that belongs to one Handles forever.
type lease struct{ start, end uint64 }

// firstLease is the size of a class's first lease, in generations. greatestLeases is the number of
// leases of the maximum size that a class has in the process. Up to the maximum size, each lease is
// as large as all earlier leases together. Therefore a Handles wastes at most half of the
// generations that it leased, and its list of leases stays short.
const (
	firstLease     = 4
	greatestLeases = 1 << 14
)

// leases contains the ranges of generations of one class that a Handles has leased, in ascending
// order, and the slots of the class that are worn because they have used up these generations.
type leases struct {
	ranges []lease
	total  uint64 // number of generations in ranges
	worn   []uint32
}

// more leases more generations and adds them to l. It reports whether any were left.
func (l *leases) more(class int, from *generations) bool {
	taken := from.take(class, max(firstLease, min(l.total, generationsOf(class)/greatestLeases)))
	if taken.start == taken.end {
		return false
	}
	l.ranges = append(l.ranges, taken)
	l.total += taken.end - taken.start
	return true
}

// The method after returns the leased generation that follows the given generation. It returns
// false if there is none.
func (l *leases) after(generation uint64) (uint64, bool) {
	n := len(l.ranges)
	i := n - 1 // most generations are in the last range
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

// following returns the handle that follows the given number of a slot, or the slot's first handle
// if the number is 0. It returns 0 if the slot is worn.
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

// noNumbers returns the error for a Handles whose free slots are all worn.
func noNumbers(live, most, worn int) error {
	return fmt.Errorf("the handle numbers are exhausted: %d records are live, the maximum is %d, and this process has no unused numbers for the %d free slots; restart the process to get new ones",
		live, most, worn)
}
