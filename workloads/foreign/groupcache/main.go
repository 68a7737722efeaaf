// Command groupcache requests pages from a group of github.com/golang/groupcache. The problem
// is in ../spec.md. The folder changes contains its forms.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/golang/groupcache"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	rounds   = 4        // number of rounds of a run at the default depth
	requests = 400_000  // number of requests in a round
	pages    = 800_000  // number of different pages
	bound    = 64 << 20 // maximum size of the cache in bytes
	sampled  = 16       // one request in this many is timed
)

func main() { driver.Main("groupcache", &program{seed: 5}) }

// A program sends rounds of requests, all with the same distribution. The group cannot be
// closed, and lives as long as the process.
type program struct {
	seed  uint64
	round uint64
	group *groupcache.Group
	waits []time.Duration // response times of the sampled requests
}

// Load creates the group, which generates its pages on demand.
func (p *program) Load(depth int) (int, error) {
	operations := driver.Operations(depth, rounds)
	p.waits = make([]time.Duration, 0, operations*requests/sampled+1)
	p.group = groupcache.GetGroup("pages")
	if p.group == nil {
		p.group = groupcache.NewGroup("pages", bound, groupcache.GetterFunc(page))
	}
	return operations, nil
}

// page generates a page of 50 to 549 bytes, whose length and text depend only on its key.
func page(_ context.Context, key string, to groupcache.Sink) error {
	n, err := strconv.ParseUint(key[len(prefix):], 10, 64)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(n, 1))
	text := make([]byte, 0, 600)
	for end := 50 + r.IntN(500); len(text) < end; {
		text = strconv.AppendUint(append(text, ' '), r.Uint64(), 36)
		text = text[:min(len(text), end)]
	}
	return to.SetBytes(text)
}

const prefix = "/pages/"

// Operate sends a round of requests.
func (p *program) Operate() error {
	p.round++
	ask := p.asker(p.round)
	for i := range requests {
		start := time.Now()
		if _, err := ask(); err != nil {
			return err
		}
		if i%sampled == 0 {
			p.waits = append(p.waits, time.Since(start))
		}
	}
	return nil
}

// asker returns a function that requests pages, some of them frequently.
func (p *program) asker(round uint64) func() ([]byte, error) {
	z := rand.NewZipf(rand.New(rand.NewPCG(p.seed, round)), 1.05, 8, pages-1)
	return func() (text []byte, err error) {
		key := prefix + strconv.FormatUint(z.Uint64(), 10)
		err = p.group.Get(context.Background(), key, groupcache.AllocatingByteSliceSink(&text))
		return text, err
	}
}

// Sum hashes answers, some of which are in the cache.
func (p *program) Sum() (uint64, error) {
	s := driver.NewSum()
	ask := p.asker(0)
	for range 20_000 {
		text, err := ask()
		if err != nil {
			return 0, err
		}
		s.Text(string(text))
	}
	if stats := p.group.CacheStats(groupcache.MainCache); stats.Hits == 0 || stats.Items == 0 {
		return 0, fmt.Errorf("the cache has %d pages and found %d", stats.Items, stats.Hits)
	}
	return uint64(s), nil
}

// Figures returns the 99.9th percentile of the response times, the percentage of requests that
// the cache answered, and the number of pages in it.
func (p *program) Figures() map[string]float64 {
	slices.Sort(p.waits)
	stats := &p.group.Stats
	return map[string]float64{
		"p999_s":       p.waits[len(p.waits)*999/1000].Seconds(),
		"hits_percent": 100 * float64(stats.CacheHits.Get()) / float64(stats.Gets.Get()),
		"cached":       float64(p.group.CacheStats(groupcache.MainCache).Items),
	}
}
