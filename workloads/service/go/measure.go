package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"

	"github.com/coppice-go/coppice/examples/service/after"
	"github.com/coppice-go/coppice/examples/service/before"
	"github.com/coppice-go/coppice/examples/service/shop"
	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// forms are the two services.
var forms = map[string]func([]shop.Goods) (http.Handler, func() error, error){"before": before.New, "after": after.New}

func names() []string { return slices.Sorted(maps.Keys(forms)) }

// fixed is the number of searches that are sent one after another, for the checksum.
const fixed = 1000

// measure runs the service and its load, prints the checksum of the answers, and writes the report.
func measure(form string, depth int, report string, out io.Writer) error {
	handler, closeIt, err := forms[form](shop.Catalog(1 << depth))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, closeIt())
	}
	server := &http.Server{Handler: handler}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	err = underLoad(listener.Addr().String(), 1<<depth, report, out)
	err = errors.Join(err, server.Close())
	<-stopped
	return errors.Join(err, closeIt())
}

// underLoad sends the fixed searches, and measures the load.
func underLoad(address string, goods int, report string, out io.Writer) error {
	sum, err := ask("http://"+address+"/search", goods)
	if err != nil {
		return err
	}
	runtime.GC()
	since := selfreport.Start()
	usage, err := machine.OwnUsage()
	if err != nil {
		return err
	}
	collector := collectorCPU()
	r, err := startLoad(address, goods)
	if err != nil {
		return err
	}
	now, err := machine.OwnUsage()
	if err != nil {
		return err
	}
	figures := since.Report()
	figures["gc_cpu_s"] -= collector
	n := float64(r.Searches)
	figures["request_cpu_s"] = (now.CPU() - usage.CPU()).Seconds() / n
	figures["request_allocs"] = figures["allocs"] / n
	figures["p50_s"], figures["p99_s"], figures["max_s"] = r.P50, r.P99, r.Max
	if now.PeakRSS > 0 {
		figures["rss"] = float64(now.PeakRSS)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	figures["heap_bytes"], figures["heap_objects"] = float64(m.HeapAlloc), float64(m.HeapObjects)
	if held := selfreport.Resident(); held > 0 {
		figures["held_bytes"] = held
	}
	fmt.Fprintf(out, "%d answers, checksum %016x\n", fixed, sum)
	return figures.Write(report)
}

// collectorCPU returns the collector's CPU time so far, in seconds. The runtime updates it at the
// end of each collection.
func collectorCPU() float64 {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64()
}

// ask sends the fixed searches, and returns a checksum of the answers.
func ask(url string, goods int) (uint64, error) {
	random := rand.New(rand.NewPCG(7, 8))
	sum := fnv.New64a()
	for range fixed {
		body, err := json.Marshal(shop.Draw(random, goods))
		if err != nil {
			return 0, err
		}
		response, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return 0, err
		}
		if response.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("a search is answered with %s: %s", response.Status, bytes.TrimSpace(text))
		}
		sum.Write(text) // Write never fails
	}
	return sum.Sum64(), nil
}
