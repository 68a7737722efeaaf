package slab

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// A sizing selects the rule for the length of a new chunk.
type sizing int8

const (
	usual sizing = iota // the length that the policy sets, or more if a slice needs more
	exact               // exactly the requested length
)

// refill makes another chunk the current one. It is the slow path of New.
//
//go:noinline
func (s *Slab[T]) refill() { s.core().enter(s.take("slab.Slab.New", 1, usual)) }

// enter makes c, which must be zeroed, the current chunk. The free slots of the previous chunk stay
// unused until Reset.
//
//go:noinline
func (s *core) enter(c []slot) {
	if s.chunk != nil {
		s.used = append(s.used, s.chunk)
		s.passed += len(s.chunk) - int(s.left)
		s.lost += int(s.left)
	}
	s.chunk, s.rest, s.left = c, c, uint(len(c))
}

// pass allocates the first n slots of c, a zeroed chunk, without making c the current chunk. The
// rest of c then stays unused until Reset. If c would have more free slots left than the current
// chunk has, pass changes nothing and returns false.
//
//go:noinline
func (s *core) pass(c []slot, n int) bool {
	rest := len(c) - n
	if uint(rest) > s.left {
		return false
	}
	s.used = append(s.used, c)
	s.passed += n
	s.lost += rest
	if checks.Enabled {
		s.mustBeZero("slab.Slab.Make", s.kind.part(c, 0, n))
	}
	return true
}

// take returns a zeroed chunk of at least n slots: the longest free chunk or, if that is too short,
// a new one, which has exactly n slots if size is exact. The parameter where names the caller, for
// panic messages.
func (s *Slab[T]) take(where string, n int, size sizing) []slot {
	c, length := s.known().next(where, n, size)
	if c == nil {
		c = erase(make([]T, length))
	}
	return c
}

// take is Slab.take for callers that do not know T. A new chunk has the usual length.
func (s *core) take(where string, n int) []slot {
	c, length := s.next(where, n, usual)
	if c == nil {
		c = s.kind.chunk(length)
	}
	return c
}

// next implements take except for the allocation. If no free chunk is long enough, waiting is nil,
// and length is the length of the chunk that the caller must allocate. next has already added this
// length to held.
func (s *core) next(where string, n int, size sizing) (waiting []slot, length int) {
	if checks.Enabled {
		s.verifyIfCheap(where)
	}
	if last := len(s.kept) - 1; last >= 0 && len(s.kept[last]) >= n {
		c := s.kept[last]
		s.kept[last] = nil
		s.kept = s.kept[:last]
		s.begin(len(c))
		return c, 0
	}
	length = s.nextLen(where) // even for exact: the first call sets the policy, which Reset needs
	if size == exact || n > length {
		length = n
	}
	mustFit(where, length, s.kind.size)
	s.hold(length)
	s.begin(length)
	return nil, length
}

// mustFit panics if n values of the given size exceed the address space. The parameter where names
// the caller, for the panic message.
func mustFit(where string, n int, size uintptr) {
	if limit := layout.MaxBytes / max(1, int(size)); n > limit {
		panic(fmt.Sprintf("%s: %d values exceed the address space, which has room for %d", where, n, limit))
	}
}

// begin reports to the owner of the slab, if any, that the slab begins to use a chunk with the
// given number of slots. If it is the first chunk of the phase, begin also reports that the phase
// uses the slab.
func (s *core) begin(slots int) {
	s.member.Enter(slots * int(s.kind.size))
	if !s.begun {
		s.begun = true
		s.member.Begin()
	}
}

// hold adds n, which may be negative, to the number of slots that the slab holds.
func (s *core) hold(n int) {
	s.held += n
	s.member.Hold(n * int(s.kind.size))
}

// policy returns the options, completed with the defaults for the type of the slab. The parameter
// where names the caller, for panic messages.
func (s *core) policy(where string) *policy {
	if s.filled.first == 0 {
		s.filled = policyFor(where, s.Options, s.kind.size)
	}
	return &s.filled
}

// nextLen returns the length of the next new chunk: half the total length of all other chunks,
// within the bounds of the policy.
func (s *core) nextLen(where string) int {
	p := s.policy(where)
	return min(max(s.held/2, p.first), p.max)
}

// want records that the phase needs at least n more slots than it has used up so far.
//
//go:noinline
func (s *core) want(n int) { s.wanted = max(s.wanted, s.needed()+n) }

// needed returns the number of slots that this phase has used up so far.
func (s *core) needed() int { return s.len() + s.lost }

// resetChunks zeroes the chunks of this phase and frees them for reuse. In checked builds, they are
// first quarantined for a phase. resetChunks drops the chunks that exceed the limit of Reset.
func (s *core) resetChunks() {
	most := s.recent.note(max(s.needed(), s.wanted))
	for _, c := range s.used {
		s.kind.zero(c)
	}
	if s.chunk != nil {
		s.used = append(s.used, s.chunk)
	}
	if checks.Enabled {
		s.resting.enter(s.used, checks.Caller())
		s.used = nil
	}
	for _, c := range s.used {
		s.wait(c)
	}
	clear(s.used)
	s.used = s.used[:0]
	s.passed, s.lost = 0, 0
	s.trim(most)
}

// wait adds a zeroed chunk to the list of free chunks, which is sorted by length.
func (s *core) wait(c []slot) {
	s.kept = append(s.kept, c)
	for i := len(s.kept) - 1; i > 0 && len(s.kept[i-1]) > len(c); i-- {
		s.kept[i-1], s.kept[i] = c, s.kept[i-1]
	}
}

// endRest frees the chunks that the previous Reset quarantined. It panics if one of them has been
// written to since then. The parameter where names the caller, for the panic message.
func (s *core) endRest(where string) {
	n := s.resting.slots()
	s.hold(-n) // must happen even if leave panics
	for _, c := range s.resting.leave(where, &s.kind) {
		s.wait(c)
	}
	s.hold(n)
}

// fits reports whether Reset keeps a chunk of the given length if the slab has no other chunk. most
// is the largest number of slots that a recent phase needed.
func (p *policy) fits(length, most int) bool { return most > 0 && length <= p.bound(most) }

// bound returns the maximum number of slots that Reset keeps. most is the largest number of slots
// that a recent phase needed.
func (p *policy) bound(most int) int { return min(max(2*most, p.first), p.keep) }

// trim keeps just enough free chunks for a phase that needs the given number of slots, within the
// limit documented at Reset. It prefers to keep the longest chunks that the limit allows, and drops
// the others.
func (s *core) trim(need int) {
	bound := s.policy("slab.Slab.Reset").bound(need)
	end, dropped := len(s.kept), 0
	for end > 0 && len(s.kept[end-1]) > bound {
		end--
		dropped += len(s.kept[end])
	}
	start, sum := end, 0
	for start > 0 && sum < need && sum+len(s.kept[start-1]) <= bound {
		start--
		sum += len(s.kept[start])
	}
	for _, c := range s.kept[:start] {
		dropped += len(c)
	}
	if dropped > 0 {
		s.kept = slices.Delete(s.kept, end, len(s.kept))
		s.kept = slices.Delete(s.kept, 0, start)
		s.hold(-dropped)
	}
}

// window is the number of phases in each of the two windows of a peak.
const window = 32

// A peak tracks the largest number of slots that a recent phase needed. It covers the current
// window and the previous one, which are the last 32 to 64 phases.
type peak struct{ now, before, phases int }

// note records the number of slots that a phase needed, and returns the peak including that phase.
func (p *peak) note(need int) int {
	p.now = max(p.now, need)
	most := max(p.now, p.before)
	if p.phases++; p.phases == window {
		*p = peak{before: p.now}
	}
	return most
}
