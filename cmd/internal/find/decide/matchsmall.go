package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// What a program must spend on memory before it is worth looking at.
const (
	leastMemory  = 0.12 // of the CPU time
	leastCeiling = 0.05 // what the lower end of the ceiling's interval saves
)

// nothingToGain is rule 0: the program spends little on memory, and might save next to nothing without a collector.
func (p *program) nothingToGain(*site.Site) []string {
	if why, ok := p.idle(); ok {
		return []string{why}
	}
	return nil
}

// idle says why no change to allocation is worth anything, if that is so.
func (p *program) idle() (string, bool) {
	memory := p.Classes.Memory()
	switch {
	case !p.surelyBelow(leastMemory):
		return "", false
	case p.surelyBelow(leastCeiling): // all of it is less than what is worth having
		return fmt.Sprintf("malloc and the collector take %s of the CPU time in all", percent(memory)), true
	case p.Ceiling == nil || 1-p.Ceiling.CPU.Hi >= leastCeiling:
		return "", false
	}
	c := p.Ceiling.CPU
	return fmt.Sprintf("malloc and the collector take %s of the CPU time, and no collector at all saves %s [%s, %s]",
		percent(memory), percent(1-c.Ratio), percent(1-c.Hi), percent(1-c.Lo)), true
}

// surelyBelow tells whether memory work is less than a part of the CPU time. A short profile tells if its interval is below.
func (p *program) surelyBelow(part float64) bool {
	memory := p.Classes.Memory()
	_, most := interval(memory, p.Classes.Samples)
	return memory < part && (p.Classes.Samples >= MinSamples || most < part)
}

func (p *program) inTest(s *site.Site) []string {
	if !s.Facts.Test {
		return nil
	}
	return []string{"it stands in a test file: the program does not do this"}
}

// What a site must take to be worth a change.
const (
	leastMalloc = 0.005 // of the CPU time
	leastBytes  = 0.02  // of all bytes
)

// cheap is rule 1. Where no CPU profile tells, bytes do.
func (p *program) cheap(s *site.Site) []string {
	if s.Malloc >= leastMalloc || s.BytesPart >= leastBytes {
		return nil
	}
	return []string{fmt.Sprintf("its malloc takes %s of the CPU time, and it makes %s of the bytes: both are little", percent(s.Malloc), percent(s.BytesPart))}
}

func (p *program) copyingCall(s *site.Site) []string {
	instead, ok := copying[callee(s.Facts.Callee)]
	if s.Facts.Kind != site.Call || !ok || s.Facts.Written != "" {
		return nil
	}
	return []string{s.Facts.Callee + " " + instead}
}

// copyingConversion is the half of rule 2 without a call. What becomes of a string that is kept is rule 6.
func (p *program) copyingConversion(s *site.Site) []string {
	switch fate := s.Fate.Main(); {
	case s.Facts.Written != "", keyOfMap(s):
		return nil
	case s.Facts.Kind == site.ToBytes && fate != "result" && fate != "retained":
		return []string{"[]byte(s) copies the string", "reading needs no copy: index and range over the string, or append(buf, s...)"}
	case s.Facts.Kind == site.ToString && fate == "temporary":
		return []string{"string(b) copies the bytes, and the copy is dead before the operation ends",
			"m[string(b)], string(b) == s and a switch on string(b) copy nothing"}
	}
	return nil
}

// keyOfMap tells whether a string may be the key of a map that grows on the same line: it stays, and what dies is the map's.
func keyOfMap(s *site.Site) bool {
	return s.Facts.Kind == site.ToString && slices.ContainsFunc(s.Facts.Also, func(also string) bool { return strings.HasPrefix(also, string(site.MakeMap)+" ") })
}

// smallArray is how large an array is, in bytes, for which an object of its own is mostly overhead.
const smallArray = 64

// sideBySide is rule 3 for several arrays.
func (p *program) sideBySide(s *site.Site) []string {
	group := p.group(s)
	if makes(group) < 2 {
		return nil
	}
	return []string{
		fmt.Sprintf("%d small arrays of %s without pointers are made side by side, equally often", makes(group), bare(s.Facts.Type)),
		"one array has room for all: a[:n:n] and a[n:] are slices of it",
	}
}

// group are the sites of small arrays that are made side by side with this one, itself first to last in the order of lines.
func (p *program) group(s *site.Site) (all []*site.Site) {
	if !isSmallArray(s) || len(s.Facts.Beside) == 0 {
		return nil
	}
	lines := append([]int{s.Line}, s.Facts.Beside...)
	seen := map[int]bool{}
	for _, n := range lines {
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, other := range p.lines[line{s.File, n}] {
			if other == s || isSmallArray(other) && other.Function == s.Function && other.Facts.Type == s.Facts.Type &&
				other.Fate.Main() == s.Fate.Main() && sameCount(other.Objects, s.Objects) {
				all = append(all, other)
			}
		}
	}
	return all
}

// makes is how many arrays a group stands for: a line may have several makes, and its site counts them all.
func makes(group []*site.Site) (n int) {
	for _, s := range group {
		n++
		for _, l := range s.Facts.Beside {
			if l == s.Line {
				n++
			}
		}
	}
	return n
}

// sameCount tells whether two places run equally often. A site of two makes on a line counts twice.
func sameCount(a, b float64) bool {
	const noise = 1.1 // counts of a sampled profile differ
	a, b = min(a, b), max(a, b)
	return b <= a*noise || b >= a*2/noise && b <= a*2*noise
}

func isSmallArray(s *site.Site) bool {
	return s.Facts.Kind == site.MakeSlice && s.Facts.Pointers == site.NoPointers && size(s) <= smallArray
}

func (p *program) fixedArray(s *site.Site) []string {
	if !isSmallArray(s) || s.Facts.Length <= 0 || s.Fate.Main() == "temporary" && p.keeper(s) != nil { // who can keep it can use it again
		return nil
	}
	return []string{fmt.Sprintf("an array of %d %s is made by itself; as a field [%d]%s it costs nothing", s.Facts.Length, bare(s.Facts.Type), s.Facts.Length, bare(s.Facts.Type))}
}

func (p *program) boxed(s *site.Site) []string {
	if s.Facts.Kind != site.Box {
		return nil
	}
	why := []string{"a value that goes into an interface is copied to the Go heap"}
	if s.Facts.Type != "" {
		why = append(why, fmt.Sprintf("with a parameter of type %s, a type parameter or a pointer nothing is copied", bare(s.Facts.Type)))
	}
	return why
}
