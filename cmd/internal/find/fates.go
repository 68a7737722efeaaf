package find

import (
	"maps"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// lives contains the heap profiles from which lifetimes are computed. Each profile is read once.
// Lifetimes are then computed by place and by instruction.
//
// There are two methods. If a run can hold its results, one profile is taken while the results are
// held, and one after they are dropped. Together, these two profiles divide all objects exactly
// into temporary objects, results and retained objects. Otherwise the mean age is computed by
// Little's law. Neither method needs instrumented allocation, which would cost hundreds of
// nanoseconds for each object and change what is measured (docs/decisions/0021).
type lives struct {
	*probe.Heap
	made         *profiles.Heap // allocations of the operations, from the plain profiles
	dropped      *profiles.Heap // heap of the plain run, after its results were released
	moments      []*profiles.Heap
	held, letGo  *profiles.Heap // of the run that held results: before and after release; or nil
	countMoments int
}

// livesOf reads the heap profiles of h, and subtracts from each the profile at the start of its
// run. If lifetimes do not depend on these profiles, it reads none of them.
func livesOf(scope *profiles.Scope, h *probe.Heap, made *profiles.Heap) (*lives, error) {
	l := &lives{Heap: h, made: made, countMoments: len(h.Plain.Moments)}
	if h.AtEnd || l.countMoments == 0 && h.Kept == nil {
		return l, nil
	}
	var err error
	since := func(p, start *profile.Profile) (h *profiles.Heap) {
		if err == nil {
			h, err = scope.Heap(profiles.Difference(p, start), nil)
		}
		return h
	}
	l.dropped = since(h.Plain.Dropped, h.Plain.Start)
	for _, moment := range h.Plain.Moments {
		if len(profiles.Difference(moment, h.Plain.Start).Sample) > 0 { // otherwise it was taken before the first operation
			l.moments = append(l.moments, since(moment, h.Plain.Start))
		}
	}
	if h.Kept != nil {
		l.held, l.letGo = since(h.Kept.Held, h.Kept.Start), since(h.Kept.Dropped, h.Kept.Start)
	}
	return l, err
}

// ofPlaces returns the lifetimes of the objects that are allocated at each place. The result is
// empty if lifetimes were not measured.
func (l *lives) ofPlaces() map[profiles.Key]site.Fate {
	places := func(h *profiles.Heap) map[profiles.Key]profiles.Objects { return h.Sites }
	return fates(l, places, places)
}

// ofCalls is like ofPlaces, but returns the lifetimes of the objects that each instruction
// allocates. If the binary that held results has a different number of such instructions at a
// place, only the plain binary is used for that place.
func (l *lives) ofCalls() func(profiles.Call) site.Fate {
	plain := l.made.Ranking()
	kept := plain
	if l.held != nil {
		kept = l.held.Ranking()
	}
	all := fates(l, plain.Of, func(h *profiles.Heap) map[profiles.Call]profiles.Objects {
		of := kept.Of(h)
		maps.DeleteFunc(of, func(c profiles.Call, _ profiles.Objects) bool { return !plain.Fits(kept, c) })
		return of
	})
	return func(c profiles.Call) site.Fate { return all[plain.Rank(c)] }
}

// A view returns the objects in a heap profile by their keys. A key is a place or an instruction.
type view[K comparable] func(*profiles.Heap) map[K]profiles.Objects

// fates returns the lifetimes of each key's objects. It applies plain to the profiles of the plain
// run, and kept to the profiles of the run that held results.
func fates[K comparable](l *lives, plain, kept view[K]) map[K]site.Fate {
	if l.AtEnd {
		return atEnd(plain(l.made))
	}
	if l.dropped == nil {
		return nil
	}
	all := little(l, plain)
	if l.held == nil {
		return all
	}
	for key, exact := range heldAndDropped(l, kept) {
		if aged, ok := all[key]; ok && aged.Main() == "retained" && exact.Result < fewResults {
			continue // the values live for some operations, in a structure from the set-up
		}
		exact.Age = all[key].Age
		all[key] = exact
	}
	return all
}

// atEnd computes lifetimes from the number of objects that are still in use at the end of a run. It
// omits a key if most of its objects are no longer in use then, because their lifetime is unknown.
func atEnd[K comparable](made map[K]profiles.Objects) map[K]site.Fate {
	all := map[K]site.Fate{}
	for key, o := range made {
		if o.Objects <= 0 {
			continue
		}
		stays := partOf(o.InUse, o.Objects)
		if f := (site.Fate{Temporary: 1 - stays, Retained: stays, Method: site.AtEnd}); f.Main() == "retained" {
			all[key] = f
		}
	}
	return all
}

// fewResults is a threshold for the fraction of a site's objects that are results. Below this
// threshold, a site whose mean age is in the range of retained values is treated as retained.
const fewResults = 0.3

// heldAndDropped divides the allocated objects into three groups: results, which are in use while
// results are held but not afterwards; retained objects, which are still in use after the results
// were dropped; and temporary objects, which are all others.
func heldAndDropped[K comparable](l *lives, by view[K]) map[K]site.Fate {
	left := by(l.letGo)
	all := map[K]site.Fate{}
	for key, o := range by(l.held) {
		if o.Objects <= 0 {
			continue
		}
		alive, stays := partOf(o.InUse, o.Objects), staying(left[key].InUse, o.Objects, l.N)
		stays = min(stays, alive)
		if last := left[key].InUse; stays == 0 && last > 0 { // a variable holds the values of the last operation only
			alive = max(alive, partOf(last*int64(l.N), o.Objects))
		}
		all[key] = site.Fate{Temporary: 1 - alive, Result: alive - stays, Retained: stays, Method: site.HoldAndDrop}
	}
	return all
}

// Limits of the mean age, in operations, that classify a value. A temporary value is in use for a
// small part of its operation. A value in the result is in use for half of the operation on
// average, because the result is built gradually. If a variable refers to the last result, the
// value also stays in use until the end of the next operation.
const (
	temporaryAge = 0.15
	resultAge    = 0.3
	retainedAge  = 2
)

// little computes mean ages by Little's law, with the operation as the unit of time. The mean age
// is the mean number of objects in use at random moments, divided by the number of objects that one
// operation allocates. Objects that are still in use at the end have no finite age, so they are
// subtracted first.
func little[K comparable](l *lives, by view[K]) map[K]site.Fate {
	inUse, left := map[K]int64{}, by(l.dropped)
	for _, m := range l.moments {
		for key, o := range by(m) {
			inUse[key] += o.InUse
		}
	}
	all := map[K]site.Fate{}
	for key, o := range by(l.made) {
		if o.Objects <= 0 {
			continue
		}
		stays := staying(left[key].InUse, o.Objects, l.N)
		f := site.Fate{Retained: stays, Method: site.Little}
		if stays < 1 && l.countMoments > 0 {
			each := float64(o.Objects) / float64(l.N)
			// Retained objects accumulate evenly during the run, so half of them are in use on
			// average.
			mean := float64(inUse[key])/float64(l.countMoments) - stays*float64(o.Objects)/2
			f.Age = max(0, mean) / (each * (1 - stays))
			byAge(&f, 1-stays)
		} else if stays < 1 {
			f.Method = site.Unknown
		}
		all[key] = f
	}
	return all
}

// byAge classifies the given fraction of the objects by their mean age.
func byAge(f *site.Fate, part float64) {
	if f.Age > retainedAge {
		f.Retained += part
		return
	}
	results := min(1, max(0, (f.Age-temporaryAge)/(resultAge-temporaryAge)))
	f.Result, f.Temporary = part*results, part*(1-results)
}

// lastResult is a limit for the number of objects in use at the end, as a multiple of the number
// that one operation allocates. Up to this limit, the objects are treated as the last result, which
// a variable of the benchmark still holds. If there are more, they belong to a growing structure.
const lastResult = 1.1

// staying returns the fraction of objects that live longer than the results. made is the number of
// objects that n operations allocated, and alive is the number of these that are still in use.
func staying(alive, made int64, n int) float64 {
	if n > 1 && float64(alive)*float64(n) <= lastResult*float64(made) {
		return 0
	}
	return partOf(alive, made)
}

// partOf returns n/of, clamped to the range from 0 to 1.
func partOf(n, of int64) float64 { return min(1, max(0, float64(n)/float64(of))) }
