package find

import (
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/find/site"
)

// fatesOf says how long the objects of each place live. It is empty where nobody looked. made is what the operations have
// allocated, as the plain profiles have it.
func fatesOf(scope *profiles.Scope, h *probe.Heap, made *profiles.Heap) (map[profiles.Key]site.Fate, error) {
	if h.AtEnd {
		return atEnd(made), nil
	}
	if len(h.Plain.Moments) == 0 && h.Kept == nil {
		return nil, nil
	}
	all, err := little(scope, h, made)
	if err != nil || h.Kept == nil {
		return all, err
	}
	held, err := heldAndDropped(scope, h.Kept, h.N)
	if err != nil {
		return nil, err
	}
	for key, exact := range held {
		if aged, ok := all[key]; ok && aged.Main() == "retained" && exact.Result < fewResults {
			continue // it lives for some operations, in what the benchmark set up
		}
		exact.Age = all[key].Age
		all[key] = exact
	}
	return all, nil
}

// atEnd knows the fate of what stays in use when runs have ended. Where most does not, nobody knows how long it lived.
func atEnd(made *profiles.Heap) map[profiles.Key]site.Fate {
	all := map[profiles.Key]site.Fate{}
	for key, o := range made.Sites {
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

// fewResults is the part of a site's objects that may be results where most live for longer.
const fewResults = 0.3

// heldAndDropped compares what is in use while results are held and after they were dropped with what was allocated.
func heldAndDropped(scope *profiles.Scope, p *probe.Profiles, n int) (map[profiles.Key]site.Fate, error) {
	held, err := scope.Heap(profiles.Difference(p.Held, p.Start), nil)
	if err != nil {
		return nil, err
	}
	dropped, err := scope.Heap(profiles.Difference(p.Dropped, p.Start), nil)
	if err != nil {
		return nil, err
	}
	all := map[profiles.Key]site.Fate{}
	for key, o := range held.Sites {
		if o.Objects <= 0 {
			continue
		}
		alive, stays := partOf(o.InUse, o.Objects), staying(dropped.Sites[key].InUse, o.Objects, n)
		stays = min(stays, alive)
		if last := dropped.Sites[key].InUse; stays == 0 && last > 0 { // a variable holds what the last operation made, and no other
			alive = max(alive, partOf(last*int64(n), o.Objects))
		}
		all[key] = site.Fate{Temporary: 1 - alive, Result: alive - stays, Retained: stays, Method: site.HoldAndDrop}
	}
	return all, nil
}

// Mean ages in operations. What dies within the operation is in use for a small part of it. What its result leads to is in
// use for half of it, as it is made bit by bit, and until the end of the next one if a variable holds the last result.
const (
	temporaryAge = 0.15
	resultAge    = 0.3
	retainedAge  = 2
)

// little divides the mean number in use at random moments by the number that an operation allocates: Little's law, with
// the operation as the unit of time. What still is in use at the end is told apart first.
func little(scope *profiles.Scope, h *probe.Heap, made *profiles.Heap) (map[profiles.Key]site.Fate, error) {
	dropped, err := scope.Heap(profiles.Difference(h.Plain.Dropped, h.Plain.Start), nil)
	if err != nil {
		return nil, err
	}
	inUse := map[profiles.Key]int64{}
	for _, moment := range h.Plain.Moments {
		since := profiles.Difference(moment, h.Plain.Start)
		if len(since.Sample) == 0 {
			continue // it came before the first operation
		}
		m, err := scope.Heap(since, nil)
		if err != nil {
			return nil, err
		}
		for key, o := range m.Sites {
			inUse[key] += o.InUse
		}
	}
	all := map[profiles.Key]site.Fate{}
	for key, o := range made.Sites {
		if o.Objects <= 0 {
			continue
		}
		stays := staying(dropped.Sites[key].InUse, o.Objects, h.N)
		f := site.Fate{Retained: stays, Method: site.Little}
		if moments := len(h.Plain.Moments); stays < 1 && moments > 0 {
			each := float64(o.Objects) / float64(h.N)
			// What stays grows from nothing to all of it while the benchmark runs.
			mean := float64(inUse[key])/float64(moments) - stays*float64(o.Objects)/2
			f.Age = max(0, mean) / (each * (1 - stays))
			byAge(&f, 1-stays)
		} else if stays < 1 {
			f.Method = site.Unknown
		}
		all[key] = f
	}
	return all, nil
}

// byAge divides a part of the objects by their mean age.
func byAge(f *site.Fate, part float64) {
	if f.Age > retainedAge {
		f.Retained += part
		return
	}
	results := min(1, max(0, (f.Age-temporaryAge)/(resultAge-temporaryAge)))
	f.Result, f.Temporary = part*results, part*(1-results)
}

// lastResult is how many times what one operation makes may be in use at the end for it to be the last result, which a
// variable of the benchmark holds.
const lastResult = 1.1

// staying is the part of what n operations made that lives for longer than their results.
func staying(alive, made int64, n int) float64 {
	if n > 1 && float64(alive)*float64(n) <= lastResult*float64(made) {
		return 0
	}
	return partOf(alive, made)
}

// partOf is a part of a whole, from 0 to 1.
func partOf(n, of int64) float64 { return min(1, max(0, float64(n)/float64(of))) }
