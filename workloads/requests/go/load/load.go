// Package load is a load generator. It sends the sheets of the corpus to a service over TCP, checks
// every answer, and measures latencies. It has two loops, for different questions.
//
// The closed loop has a few connections, and each sends its next request when it has the answer to
// the last. The service is never idle, so the loop measures throughput. It cannot measure latency:
// while the service pauses, no requests are sent, so the requests that would have waited are not
// counted (coordinated omission).
//
// The open loop sends at times that were fixed in advance, like independent users. A latency is
// measured from the time at which the request should have been sent, so a pause is included in the
// latency of every request that it delays.
package load

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// A Plan states what to send, and to which address.
type Plan struct {
	Address     string  // host and port
	Requests    int     // number of requests
	Connections int     // number of concurrent connections
	Rate        float64 // requests per second of the open loop; 0 for the closed loop
}

// A Result is the result of a Plan. Times are in seconds.
type Result struct {
	Requests int     `json:"requests"`
	Checksum uint64  `json:"checksum"` // sum of the checksums of all answers
	Seconds  float64 `json:"seconds"`  // from the first request to the last answer
	P50      float64 `json:"p50"`
	P99      float64 `json:"p99"`
	P999     float64 `json:"p999"`
	Max      float64 `json:"max"`
}

// Checksum returns the checksum of the answer to request i. The checksums of all requests are
// added.
func Checksum(i int, answer []byte) uint64 {
	return uint64(i+1) * uint64(crc32.Checksum(answer, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A run is a plan being carried out.
type run struct {
	Plan
	messages []message
	sleep    func(time.Duration)
	start    time.Time
	checksum atomic.Uint64
	took     []time.Duration // latency of each request
}

// Run carries out a plan. It ends at the first wrong answer.
func Run(p Plan) (Result, error) {
	connections, err := dialAll(p.Address, min(p.Connections, p.Requests))
	if err != nil {
		return Result{}, err
	}
	defer closeAll(connections)
	r := &run{Plan: p, sleep: sleep}
	return r.over(connections)
}

// over carries out the plan over these connections.
func (r *run) over(connections []*connection) (Result, error) {
	r.took = make([]time.Duration, r.Requests)
	for _, s := range corpus.First(r.Requests) {
		r.messages = append(r.messages, newMessage(r.Address, s))
	}
	var err error
	r.start = time.Now()
	if r.Rate > 0 {
		err = r.open(connections)
	} else {
		err = r.closed(connections)
	}
	if err != nil {
		return Result{}, err
	}
	return r.result(time.Since(r.start)), nil
}

// closed lets every connection send the next request as soon as the connection is free.
func (r *run) closed(connections []*connection) error {
	var next atomic.Int64
	return each(connections, func(c *connection) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= r.Requests {
				return nil
			}
			if err := r.exchange(c, i, time.Since(r.start)); err != nil {
				next.Store(int64(r.Requests)) // ends the loops of the other connections
				return err
			}
		}
	})
}

// open sends request i at times[i]. A request without a free connection waits, and its latency is
// still measured from times[i].
func (r *run) open(connections []*connection) error {
	times := arrivals(r.Requests, r.Rate)
	due := make(chan int, r.Requests) // room for all requests, so that sending never blocks
	var failed atomic.Bool
	go func() {
		defer close(due)
		for i, at := range times {
			r.sleep(at - time.Since(r.start))
			due <- i
			if failed.Load() {
				return
			}
		}
	}()
	return each(connections, func(c *connection) error {
		for i := range due {
			if failed.Load() {
				return nil
			}
			if err := r.exchange(c, i, times[i]); err != nil {
				failed.Store(true)
				return err
			}
		}
		return nil
	})
}

// arrivals returns the times, since the start, at which the open loop sends requests. The times
// follow a Poisson process, in which a request is equally likely at any moment. They are the same
// in every process of the program.
func arrivals(requests int, rate float64) []time.Duration {
	random := rand.New(rand.NewPCG(11, 13))
	times := make([]time.Duration, requests)
	at := 0.0
	for i := range times {
		at += random.ExpFloat64() / rate
		times[i] = time.Duration(at * float64(time.Second))
	}
	return times
}

// exchange sends request i, checks the answer, and records the time since begin.
func (r *run) exchange(c *connection, i int, begin time.Duration) error {
	answer, err := c.exchange(&r.messages[i%len(r.messages)])
	if err != nil {
		return fmt.Errorf("request %d: %w", i, err)
	}
	r.took[i] = time.Since(r.start) - begin
	r.checksum.Add(Checksum(i, answer))
	return nil
}

// result sorts all samples. Their number is known in advance, so no histogram has to round
// them.
func (r *run) result(took time.Duration) Result {
	slices.Sort(r.took)
	at := func(part float64) float64 { return r.took[int(part*float64(len(r.took)-1))].Seconds() }
	return Result{
		Requests: r.Requests, Checksum: r.checksum.Load(), Seconds: took.Seconds(),
		P50: at(0.5), P99: at(0.99), P999: at(0.999), Max: at(1),
	}
}

// each runs f for all connections concurrently and returns the first error.
func each(connections []*connection, work func(*connection) error) error {
	errs := make(chan error, len(connections))
	var wait sync.WaitGroup
	for _, c := range connections {
		wait.Go(func() {
			if err := work(c); err != nil {
				errs <- err
			}
		})
	}
	wait.Wait()
	close(errs)
	return <-errs
}
