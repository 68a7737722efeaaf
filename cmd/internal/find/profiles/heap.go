package profiles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/pprof/profile"
)

// Objects contains what a place allocated. In the difference between two profiles of one process,
// the last two fields may be negative. In the difference between two runs, all fields may be
// negative.
type Objects struct {
	Objects    int64 // allocated objects
	Bytes      int64 // allocated bytes
	InUse      int64 // objects alive after the last collection
	InUseBytes int64
}

// Add adds sign*p to o.
func (o *Objects) Add(p Objects, sign int64) {
	o.Objects += sign * p.Objects
	o.Bytes += sign * p.Bytes
	o.InUse += sign * p.InUse
	o.InUseBytes += sign * p.InUseBytes
}

// A Heap contains the allocations that heap profiles show. The zero value contains no profile.
type Heap struct {
	Sites   map[Key]Objects
	Calls   map[Call]Amount // the same objects by allocating instruction, if Scope.One is set
	Total   Objects         // objects of the program, without Harness; includes stacks of runtime frames only
	Harness Objects         // objects of the measuring code
	// Rate is runtime.MemProfileRate of the last profile: the number of bytes per sample. If the
	// rate is 1, the counts are exact, except that several pointer-free objects below 16 bytes may
	// be counted as one. A Rate of 0 means that the rate is unknown.
	Rate int64
}

// Heap reads the heap profile in after and subtracts the one in before, which is an earlier profile
// of the same process, a profile of a shorter run, or nil. The subtraction removes the allocations
// of the set-up, so that only the allocations of the operations are left. Places without a
// difference are omitted.
func (s *Scope) Heap(after, before *profile.Profile) (*Heap, error) {
	h := &Heap{}
	for _, p := range []*profile.Profile{after, before} {
		if p != nil && (column(p, "alloc_objects") < 0 || column(p, "alloc_space") < 0) {
			return nil, notHeap(p)
		}
	}
	if len(after.Sample) == 0 {
		return nil, errors.New("the heap profile has no samples: runtime.MemProfileRate may be 0, or too little was allocated")
	}
	if before != nil {
		if err := h.add(s, before, -1); err != nil {
			return nil, err
		}
	}
	if err := h.add(s, after, 1); err != nil {
		return nil, err
	}
	for k, o := range h.Sites {
		if o == (Objects{}) {
			delete(h.Sites, k)
		}
	}
	return h, nil
}

// Add adds the heap profile p to h. If p lacks one of the sample types of a heap profile, the
// missing values are treated as 0, because profile servers send one sample type at a time.
func (h *Heap) Add(s *Scope, p *profile.Profile) error { return h.add(s, p, 1) }

func (h *Heap) add(s *Scope, p *profile.Profile, sign int64) error {
	objects, bytes := column(p, "alloc_objects"), column(p, "alloc_space")
	inUse, inUseBytes := column(p, "inuse_objects"), column(p, "inuse_space")
	if max(objects, bytes, inUse, inUseBytes) < 0 {
		return notHeap(p)
	}
	if h.Calls == nil {
		h.Calls = map[Call]Amount{}
	}
	if h.Sites == nil {
		h.Sites = map[Key]Objects{}
	}
	if p.PeriodType != nil && p.PeriodType.Type == "space" {
		h.Rate = p.Period
	}
	value := func(sample *profile.Sample, column int) int64 {
		if column < 0 {
			return 0
		}
		return sample.Value[column]
	}
	frames := s.remember(p)
	for _, sample := range p.Sample {
		o := Objects{value(sample, objects), value(sample, bytes), value(sample, inUse), value(sample, inUseBytes)}
		got := read(sample.Location, frames)
		if got.ours {
			h.Harness.Add(o, sign)
			continue
		}
		h.Total.Add(o, sign)
		if got.placed {
			sum := h.Sites[got.key]
			sum.Add(o, sign)
			h.Sites[got.key] = sum
			if !s.One {
				continue
			}
			call := callAt(got.key, got.at)
			amount, size := h.Calls[call], int64(0)
			if sizes := sample.NumLabel["bytes"]; len(sizes) > 0 {
				size = sizes[0]
			}
			amount.add(o, sign, size)
			h.Calls[call] = amount
		}
	}
	return nil
}

func notHeap(p *profile.Profile) error {
	return fmt.Errorf("not a heap profile with alloc_objects and alloc_space: its sample types are %s; use a profile from pprof.WriteHeapProfile or /debug/pprof/allocs",
		strings.Join(sampleTypes(p), ", "))
}
