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

// This is the criterion by which a metric is flat. It compares the medians of the first and the
// last third of the samples after the warm-up, so that a single high sample has no effect. The last
// median may exceed the first by a twentieth, or by the usual variation caused by the scavenger and
// the kernel, whichever is more.
const (
	warmUpPart   = 5        // the samples of the first fifth do not count
	growthPart   = 20       // a twentieth
	leastSlack   = 12 << 20 // bytes of the resident set
	mapsSlack    = 60       // memory maps: the Go heap adds some as it fills its arenas
	mapsOfPlace  = 4        // memory maps of a place: before its alignment, in use, given back, never used
	placesSlack  = 100      // all workers together use fewer
	leastSamples = 9        // three for each median
	mostSamples  = 600      // evenly spread; one a second in ten minutes
)

// findsItsSize is the time that the Go heap needs to reach a stable size.
const findsItsSize = 30 * time.Second

// slackOf returns the allowed growth of the resident set in bytes, for a run of that length. The Go
// heap needs half a minute to reach a stable size, so a short run is less conclusive, in particular
// on systems where stores are Go memory. The race detector's shadow memory grows with every new
// address of the Go heap, so with -race the resident set is not checked.
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

// A sample contains metrics of the system and the runtime for this process at one moment. -1 stands
// for an unavailable value.
type sample struct {
	resident   int64 // bytes
	maps       int64
	places     int64 // of addresses: those of open regions, and those kept for later regions
	files      int64
	goroutines int64
}

func takeSample() sample {
	return sample{resident(), mapCount(), placeCount(), fileCount(), int64(runtime.NumGoroutine())}
}

// placeCount counts the address ranges of package vmem. The package keeps the range of a closed
// region, so the number of ranges is the maximum number of regions that were open at once. On a
// busy machine it takes a while to reach that number: workers that are not scheduled have no
// regions.
func placeCount() int64 {
	n := vmem.Retired()
	for _, a := range vmem.Accounts() {
		n += a.Regions
	}
	return int64(n)
}

// resident returns the resident set, in bytes.
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

// fileCount counts open files, except the one used to read the list.
func fileCount() int64 {
	files, err := fs.ReadDir(os.DirFS("/proc/self"), "fd")
	if err != nil {
		return -1
	}
	return int64(len(files)) - 1
}

// watch samples until the context ends: once a second, or more often in a short run.
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

// judge describes how flat the metrics were. It fails if any metric grew, or if any resource was
// not released.
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
	if err := errors.Join(append(grown, left(before)...)...); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	first, last := thirds(samples, func(s sample) int64 { return s.resident })
	firstMaps, lastMaps := thirds(samples, func(s sample) int64 { return s.maps })
	return fmt.Sprintf("resident %d MiB at first and %d at last, %d and %d memory maps; no goroutine, file or region is left",
		first>>20, last>>20, firstMaps, lastMaps), nil
}

// flat fails if the median of the last third exceeds that of the first by more than the criterion
// allows.
func flat(what, unit string, samples []sample, of func(sample) int64, slack int64) error {
	first, last := thirds(samples, of)
	if allowed := max(first/growthPart, slack); last-first > allowed {
		return fmt.Errorf("%s grew from %d to %d %s; at most %d more are allowed", what, first, last, unit, allowed)
	}
	return nil
}

// thirds returns the medians of the first and the last third of the samples.
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

// left describes the resources that the workers did not release.
func left(before sample) (errs []error) {
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

// runtimeFiles is the number of files that the Go runtime opens for its poller, once a program does
// more than compute.
const runtimeFiles = 3

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
