package slab

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// refill makes the next chunk the current one: the slow path of New.
//
//go:noinline
func (s *Slab[T]) refill() { s.enter(s.take("slab.New", 1, s.nextLen())) }

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
		return c
	}
	if limit := s.policy().limit; n > limit {
		panic(fmt.Sprintf("%s: %d values exceed the address space, which has room for %d", where, n, limit))
	}
	c := make([]T, max(n, preferred))
	s.held += len(c)
	return c
}

// policy is what the options come to for this type.
func (s *Slab[T]) policy() *policy {
	if s.filled.limit == 0 {
		s.filled = policyFor[T](s.options)
	}
	return &s.filled
}

// nextLen is the length of the next new chunk: that of all others together,
// within the bounds of the policy.
func (s *Slab[T]) nextLen() int {
	p := s.policy()
	return min(max(s.held, p.first), p.max)
}

// needed is the count of slots that this phase has used up so far.
func (s *Slab[T]) needed() int { return s.Len() + s.lost }

// trim drops waiting chunks until what is left has room for a phase that needs
// that many slots, and no more than the bound that Reset documents. It keeps the
// longest chunks, and leaves them sorted.
func (s *Slab[T]) trim(need int) {
	p := s.policy()
	bound := min(max(2*need, p.first), p.keep)
	slices.SortFunc(s.kept, func(a, b []T) int { return cmp.Compare(len(a), len(b)) })

	end := len(s.kept)
	for end > 0 && len(s.kept[end-1]) > bound {
		end--
	}
	start, sum := end, 0
	for start > 0 && sum < need && sum+len(s.kept[start-1]) <= bound {
		start--
		sum += len(s.kept[start])
	}
	s.kept = slices.Delete(s.kept, end, len(s.kept))
	s.kept = slices.Delete(s.kept, 0, start)
	s.held = sum + s.resting.slots()
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
