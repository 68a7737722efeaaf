// Package attack generates the load of the example: searches at a fixed rate, with vegeta.
package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/coppice-go/coppice/examples/service/shop"
)

// Options describe the load.
type Options struct {
	URL   string
	Rate  int // searches per second
	For   time.Duration
	Goods int // number of goods in the catalog
}

// A Result contains the metrics and the histogram of a run.
type Result struct {
	Metrics   vegeta.Metrics
	Histogram vegeta.Histogram
}

// buckets are the lower bounds of the histogram's buckets.
var buckets = vegeta.Buckets{0, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond}

// Run sends searches at the rate of the options for their duration, and returns the latencies.
func Run(o Options) (*Result, error) {
	if o.Rate < 1 || o.For <= 0 || o.Goods < 1 {
		return nil, fmt.Errorf("invalid -rate %d, -for %v or -goods %d: must be more than 0", o.Rate, o.For, o.Goods)
	}
	result := &Result{Histogram: vegeta.Histogram{Buckets: buckets}}
	pace := counted{vegeta.Rate{Freq: o.Rate, Per: time.Second}, uint64(max(1, o.For.Seconds()*float64(o.Rate)))}
	for r := range vegeta.NewAttacker().Attack(searches(o), pace, 0, "search") {
		result.Metrics.Add(r)
		result.Histogram.Add(r)
	}
	result.Metrics.Close()
	return result, nil
}

// A counted pace ends after a number of searches, not after a duration: if the machine falls
// behind, the searches that are overdue are sent immediately.
type counted struct {
	vegeta.Pacer
	most uint64
}

// Pace returns the time to wait before the next search, and whether to stop.
func (c counted) Pace(elapsed time.Duration, sent uint64) (wait time.Duration, stop bool) {
	if sent >= c.most {
		return 0, true
	}
	return c.Pacer.Pace(elapsed, sent)
}

// searches returns a function that creates the next search. Each run sends the same searches.
func searches(o Options) vegeta.Targeter {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(5, 6))
	return func(t *vegeta.Target) error {
		mu.Lock()
		search := shop.Draw(random, o.Goods)
		mu.Unlock()
		body, err := json.Marshal(search)
		*t = vegeta.Target{Method: http.MethodPost, URL: o.URL, Body: body, Header: http.Header{"Content-Type": {"application/json"}}}
		return err
	}
}

// Print prints quantiles and a histogram of the latencies. It returns an error if a search failed.
func (r *Result) Print(out io.Writer) error {
	m := &r.Metrics
	fmt.Fprintf(out, "%d searches, %.1f per second, %.2f %% answered\n", m.Requests, m.Rate, 100*m.Success)
	fmt.Fprintf(out, "latency: p50 %v, p95 %v, p99 %v, max %v\n\n", m.Latencies.P50, m.Latencies.P95, m.Latencies.P99, m.Latencies.Max)
	for i, n := range r.Histogram.Counts {
		if n > 0 {
			bar := strings.Repeat("#", int(60*n/max(1, r.Histogram.Total)))
			fmt.Fprintf(out, "from %6v %8d %s\n", r.Histogram.Buckets[i], n, bar)
		}
	}
	if m.Success < 1 {
		return fmt.Errorf("%.2f %% of the searches failed: %s", 100*(1-m.Success), strings.Join(m.Errors, "; "))
	}
	return nil
}
