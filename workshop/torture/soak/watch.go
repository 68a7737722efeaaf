package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// Criteria for a flat metric. The median of the last third of the samples after the warm-up is
// compared with the median of the first third, so that a single high sample has no effect. It may
// be larger by a twentieth, or by the usual variation due to the scavenger and the kernel,
// whichever is more.
const (
	warmUpPart   = 5        // the first fifth of the samples is ignored
	growthPart   = 20       // the allowed growth is a twentieth
	leastSlack   = 12 << 20 // minimum slack of the resident set, in bytes
	mapsSlack    = 60       // slack in memory maps: the Go heap adds some as it fills its arenas
	mapsOfPlace  = 4        // memory maps per address range: before its alignment, used, returned, never used
	placesSlack  = 100      // slack in address ranges: all workers together use fewer
	leastSamples = 9        // minimum number of samples: three for each median
	mostSamples  = 600      // maximum number of samples, evenly spread; one a second in ten minutes
)

// findsItsSize is the time after which the size of the Go heap is stable.
const findsItsSize = 30 * time.Second

// slackOf returns the allowed growth of the resident set, in bytes, in a run of the given length.
// Because the Go heap needs half a minute to reach a stable size, a short run is less conclusive,
// in particular on systems on which stores are in Go memory. With -race, the resident set is not
// checked, because the race detector's shadow memory grows with every new address of the Go heap.
func slackOf(length time.Duration) int64 {
	slack := leastSlack + int64(leastSlack*findsItsSize.Seconds()/length.Seconds())
	switch {
	case vmem.GoMemory && strconv.IntSize == 64: // with -race
		return math.MaxInt64
	case vmem.GoMemory:
		return 10 * slack
	}
	return slack
}

// A sample contains metrics of this process at one moment, as reported by the system and the
// runtime. A value of -1 means that the metric is not available.
type sample struct {
	resident   int64 // size of the resident set in bytes
	maps       int64
	places     int64 // address ranges of open regions, and address ranges kept for later regions
	files      int64
	goroutines int64
}

func takeSample() sample {
	return sample{resident(), mapCount(), placeCount(), fileCount(), int64(runtime.NumGoroutine())}
}

// placeCount returns the number of address ranges that package vmem holds. The package keeps the
// range of a closed region, so this is the maximum number of regions that were open at the same
// time. On a busy machine, it takes a while to reach this number, because workers that are not
// scheduled have no regions.
func placeCount() int64 {
	n := vmem.Retired()
	for _, a := range vmem.Accounts() {
		n += a.Regions
	}
	return int64(n)
}

// resident returns the size of the resident set in bytes.
func resident() int64 {
	var size, pages int64
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return -1
	}
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		return -1
	}
	return pages * int64(os.Getpagesize())
}

func mapCount() int64 {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return -1
	}
	return int64(bytes.Count(maps, []byte("\n")))
}

// fileCount returns the number of open files, except for the one that it uses itself.
func fileCount() int64 {
	files, err := fs.ReadDir(os.DirFS("/proc/self"), "fd")
	if err != nil {
		return -1
	}
	return int64(len(files)) - 1
}

// watch takes samples until the context is done. It takes one per second, or more in a short run.
func (s *soak) watch(ctx context.Context) (samples []sample) {
	every := min(time.Second, max(s.length/mostSamples, s.length/50))
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return samples
		case <-ticker.C:
			samples = append(samples, takeSample())
			if s.disturb != nil {
				s.disturb()
			}
		}
	}
}

// judge describes how flat the metrics were. It returns an error if any metric grew or any resource
// was not released.
func judge(before sample, samples []sample, slack int64) (string, error) {
	samples = samples[len(samples)/warmUpPart:]
	if len(samples) < leastSamples {
		return "", fmt.Errorf("there are only %d samples; soak for longer", len(samples))
	}
	firstPlaces, lastPlaces := thirds(samples, func(s sample) int64 { return s.places })
	ofPlaces := mapsOfPlace * max(0, lastPlaces-firstPlaces)
	grown := []error{
		flat("the resident set", "bytes", samples, func(s sample) int64 { return s.resident }, slack),
		flat("the count of places of addresses", "places", samples, func(s sample) int64 { return s.places }, placesSlack),
		flat("the count of memory maps", "maps", samples, func(s sample) int64 { return s.maps }, mapsSlack+ofPlaces),
	}
	if err := errors.Join(append(grown, leaks(before)...)...); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	first, last := thirds(samples, func(s sample) int64 { return s.resident })
	firstMaps, lastMaps := thirds(samples, func(s sample) int64 { return s.maps })
	return fmt.Sprintf("resident %d MiB at first and %d at last, %d and %d memory maps; no goroutine, file or region is left",
		first>>20, last>>20, firstMaps, lastMaps), nil
}

// flat returns an error if a metric grew by more than the criterion allows.
func flat(what, unit string, samples []sample, of func(sample) int64, slack int64) error {
	first, last := thirds(samples, of)
	if allowed := max(first/growthPart, slack); last-first > allowed {
		return fmt.Errorf("%s grew from %d to %d %s; at most %d more are allowed", what, first, last, unit, allowed)
	}
	return nil
}

// thirds returns the medians of a metric over the first and the last third of the samples.
func thirds(samples []sample, of func(sample) int64) (first, last int64) {
	n := len(samples) / 3
	return median(samples[:n], of), median(samples[len(samples)-n:], of)
}

func median(samples []sample, of func(sample) int64) int64 {
	if len(samples) == 0 {
		return 0
	}
	values := make([]int64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// leaks returns an error for each kind of resource that the workers did not release.
func leaks(before sample) (errs []error) {
	for _, total := range store.Totals() {
		errs = append(errs, fmt.Errorf("%d stores %q are open, %d bytes", total.Stores, total.Name, total.Committed))
	}
	if n := pprof.Lookup("coppice").Count(); n > 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("store.Totals is empty, but the profile coppice has %d entries", n))
	}
	after := takeSample()
	for range 100 { // goroutines take a moment to end
		if after.goroutines <= before.goroutines {
			break
		}
		time.Sleep(20 * time.Millisecond)
		after = takeSample()
	}
	if after.goroutines > before.goroutines {
		errs = append(errs, fmt.Errorf("%d goroutines at first and %d at last", before.goroutines, after.goroutines))
	}
	if after.files > before.files+runtimeFiles {
		errs = append(errs, fmt.Errorf("%d open files at first and %d at last", before.files, after.files))
	}
	return errs
}

// runtimeFiles is the number of files that the Go runtime opens for its network poller when a
// program first needs it.
const runtimeFiles = 3

// sortedKeys returns the keys of a map in ascending order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
