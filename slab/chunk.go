package slab

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
)

// refill makes the next chunk the current one: the slow path of New.
//
//go:noinline
func (s *Slab[T]) refill() { s.enter(s.take("slab.New", 1, s.nextLen("slab.New"))) }

// enter makes c, which is zeroed, the current chunk. What is free in the old one
// is lost until Reset.
func (s *Slab[T]) enter(c []T) {
	if s.chunk != nil {
		s.used = append(s.used, s.chunk)
		s.passed += len(s.chunk) - int(s.left)
		s.lost += int(s.left)
	}
	s.chunk, s.rest, s.left = c, c, uint(len(c))
}

// take returns a zeroed chunk of at least n slots: the longest that waits or, if
// that is too short, a new one of preferred length. where names the caller in a
// panic.
func (s *Slab[T]) take(where string, n, preferred int) []T {
	if checks.Enabled {
		s.verifyIfCheap(where)
	}
	if last := len(s.kept) - 1; last >= 0 && len(s.kept[last]) >= n {
		c := s.kept[last]
		s.kept[last] = nil
		s.kept = s.kept[:last]
		s.begin()
		return c
	}
	s.policy(where) // Reset asks for it, and the first use reads the options
	c := makeChunk[T](where, max(n, preferred))
	s.hold(len(c))
	s.begin()
	return c
}

// makeChunk returns n zeroed values. It panics in the name of where if they exceed the address space.
func makeChunk[T any](where string, n int) []T {
	if limit := layout.MaxBytes / max(1, int(reflect.TypeFor[T]().Size())); n > limit {
		panic(fmt.Sprintf("%s: %d values exceed the address space, which has room for %d", where, n, limit))
	}
	return make([]T, n)
}

// begin tells the owner, if there is one, of the first chunk that is taken in a phase.
func (s *Slab[T]) begin() {
	if !s.begun {
		s.begun = true
		s.member.Begin()
	}
}

// hold counts so many slots more that the slab holds, or fewer if n is negative.
func (s *Slab[T]) hold(n int) {
	s.held += n
	s.member.Hold(n * int(reflect.TypeFor[T]().Size()))
}

// policy is what the options come to for this type. where names the caller in a panic.
func (s *Slab[T]) policy(where string) *policy {
	if s.filled.first == 0 {
		s.filled = policyFor[T](where, s.Options)
	}
	return &s.filled
}

// nextLen is the length of the next new chunk: half of all others together, within the bounds
// of the policy.
func (s *Slab[T]) nextLen(where string) int {
	p := s.policy(where)
	return min(max(s.held/2, p.first), p.max)
}

// needed is the count of slots that this phase has used up so far.
func (s *Slab[T]) needed() int { return s.Len() + s.lost }

// resetChunks lets the chunks of this phase wait, in checked builds after they rested for a phase,
// and drops what is more than Reset keeps.
func (s *Slab[T]) resetChunks() {
	most := s.recent.note(max(s.needed(), s.wanted))
	for _, c := range s.used {
		clear(c)
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

// wait adds a zeroed chunk to those that wait, behind those that are no longer.
func (s *Slab[T]) wait(c []T) {
	s.kept = append(s.kept, c)
	for i := len(s.kept) - 1; i > 0 && len(s.kept[i-1]) > len(c); i-- {
		s.kept[i-1], s.kept[i] = c, s.kept[i-1]
	}
}

// endRest lets the chunks wait that the Reset before took back. It panics in the name of where if
// one of them was written since.
func (s *Slab[T]) endRest(where string) {
	n := s.resting.slots()
	s.hold(-n) // also if leave panics
	for _, c := range s.resting.leave(where) {
		s.wait(c)
	}
	s.hold(n)
}

// fits tells whether Reset keeps a chunk of so many slots if it is the only one.
func (p *policy) fits(length, most int) bool { return most > 0 && length <= p.bound(most) }

// bound is how many slots Reset keeps at most, if recent phases needed that many.
func (p *policy) bound(most int) int { return min(max(2*most, p.first), p.keep) }

// trim drops waiting chunks until what is left has room for a phase that needs
// that many slots, and no more than the bound that Reset documents. It keeps the
// longest chunks.
func (s *Slab[T]) trim(need int) {
	bound := s.policy("slab.Reset").bound(need)
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

// window is how many phases make one of the two windows of a peak.
const window = 32

// A peak is the most that one of the recent phases needed: of those in this window and in
// the window before, so of the last 32 to 64.
type peak struct{ now, before, phases int }

// note adds a phase, and returns the peak.
func (p *peak) note(need int) int {
	p.now = max(p.now, need)
	most := max(p.now, p.before)
	if p.phases++; p.phases == window {
		*p = peak{before: p.now}
	}
	return most
}
