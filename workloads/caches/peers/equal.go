package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// In the traces whose names end in -equal, all caches have the same resident memory. Each cache has
// its own bound, in bytes as the cache counts them. With this bound the process grows by
// equalBytes, including garbage on the Go heap, while it answers the requests of zipf-0.9.
const (
	equal      = "-equal"
	equalBytes = 64 << 20
)

// bounds maps each cache to its bound, found by `peers -calibrate -cache NAME 21`. Each run
// reports by how much the process actually grew.
var bounds = map[string]int{
	"coppice":   66203734,
	"otter":     13418447,
	thrifty:     30289576,
	"theine":    13016484,
	"ristretto": 3768815,
	"lru":       12650623,
	"2q":        11687160,
	"arc":       11537650,
	"freecache": 39618183,
	"bigcache":  17157240,
	"fastcache": 33554432,
}

// calibrate finds the bound of a cache by repeated runs of this program. The next bound is the last
// one times the ratio of wanted to measured growth, until the growth is within three hundredths of
// the target. A closer match is not possible, because the moment at which the collector starts
// changes the growth by as much.
func calibrate(name string, depth int) (int, error) {
	const rounds = 6
	best, off, bound := 0, math.Inf(1), equalBytes/2
	for range rounds {
		got, err := grown(name, bound, depth)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(os.Stderr, "%s: a bound of %d bytes takes %.1f MiB\n", name, bound, got/(1<<20))
		if now := math.Abs(got - equalBytes); now < off {
			best, off = bound, now
		}
		if off < equalBytes*3/100 {
			break
		}
		bound = max(int(float64(bound)*equalBytes/got), 1<<20)
	}
	return best, nil
}

// grown returns the growth of the process with a bound, as the median of three runs.
func grown(name string, bound, depth int) (float64, error) {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	var all []float64
	for range 3 {
		report := filepath.Join(folder, "report.json")
		command := exec.Command(os.Args[0], "-cache", name, "-trace", "zipf-0.9"+equal, "-bytes", strconv.Itoa(bound), "-report", report, strconv.Itoa(depth))
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return 0, err
		}
		text, err := os.ReadFile(report)
		if err != nil {
			return 0, err
		}
		var figures map[string]float64
		if err := json.Unmarshal(text, &figures); err != nil {
			return 0, err
		}
		if figures["resident_bytes"] == 0 {
			return 0, fmt.Errorf("this system does not tell how much memory is resident")
		}
		all = append(all, figures["resident_bytes"])
	}
	slices.Sort(all)
	return all[1], nil
}
