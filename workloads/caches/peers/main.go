// Command peers compares package cache with caches that Go programmers use today, on the traces of ../spec.md. Each pair of a cache and a trace
// is a process of its own, so that its memory and its collector are.
//
//	peers [-mib 64] [-value 100] [-requests 5000000] [-goroutines 2] [-rounds 3] [-cache NAME] [-trace NAME]
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// A job is one cache on one trace.
type job struct {
	Cache, Trace string
	MiB, Value   int
	Requests     int // of all goroutines
	Goroutines   int
}

// A result is what a process has measured.
type result struct {
	Hits, Requests int
	Nanoseconds    float64 // of wall time, for a request of one goroutine
	Collections    int
	PeakKiB        int64 // of the process, filled in by its parent
}

func main() {
	one := flag.String("child", "", "a job, as JSON: what each process is told")
	var all job
	flag.StringVar(&all.Cache, "cache", "", "one cache only")
	flag.StringVar(&all.Trace, "trace", "", "one trace only")
	flag.IntVar(&all.MiB, "mib", 64, "the bound of each cache, in MiB as it counts them")
	flag.IntVar(&all.Value, "value", 100, "bytes of a value, at least 8")
	flag.IntVar(&all.Requests, "requests", 5_000_000, "requests of all goroutines")
	flag.IntVar(&all.Goroutines, "goroutines", runtime.GOMAXPROCS(0), "goroutines")
	rounds := flag.Int("rounds", 3, "interleaved rounds; the median of their times is shown")
	flag.Parse()
	if flag.NArg() > 0 || all.Value < 8 || all.MiB < 1 || all.Requests < 1 || all.Goroutines < 1 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "peers: numbers are at least 1, a value has at least 8 bytes, and there are no arguments; peers -h lists the flags")
		os.Exit(2)
	}
	err := error(nil)
	if *one != "" {
		err = child(*one, os.Stdout)
	} else {
		err = compare(all, *rounds, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// child does the job of this process.
func child(text string, to io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	r, err := run(j)
	if err != nil {
		return err
	}
	return json.NewEncoder(to).Encode(r)
}

// run asks for each key of the trace, and sets what is missing. It fails if a value is not that of its key.
func run(j job) (result, error) {
	c, source, err := find(j)
	if err != nil {
		return result{}, err
	}
	var all sync.WaitGroup
	hits, wrong := make([]int, j.Goroutines), make([]bool, j.Goroutines)
	each := j.Requests / j.Goroutines
	start := time.Now()
	for g := range j.Goroutines {
		all.Go(func() {
			next, value, room := source(uint64(g+1)), make([]byte, j.Value), make([]byte, 0, 2*j.Value)
			for range each {
				k := next()
				v, ok := c.get(room[:0], k)
				if ok {
					hits[g]++
					wrong[g] = wrong[g] || len(v) != j.Value || binary.LittleEndian.Uint64(v) != k
				} else {
					binary.LittleEndian.PutUint64(value, k)
					c.set(k, value)
				}
			}
		})
	}
	all.Wait()
	taken := time.Since(start)
	if slices.Contains(wrong, true) {
		return result{}, fmt.Errorf("%s returned the value of another key", j.Cache)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	r := result{Requests: each * j.Goroutines, Nanoseconds: float64(taken.Nanoseconds()) / float64(each), Collections: int(memory.NumGC)}
	for _, n := range hits {
		r.Hits += n
	}
	return r, nil
}

// find opens the cache of a job, and finds its trace.
func find(j job) (rival, func(uint64) func() uint64, error) {
	t := slices.IndexFunc(traces, func(t trace) bool { return t.name == j.Trace })
	for _, r := range rivals {
		if r.name == j.Cache && t >= 0 {
			c, err := r.open(j.MiB << 20)
			return c, traces[t].source, err
		}
	}
	return rival{}, nil, fmt.Errorf("there is no cache %q or no trace %q", j.Cache, j.Trace)
}

// compare runs all jobs in rounds, and writes a table of each trace.
func compare(all job, rounds int, to io.Writer) error {
	found := false
	for _, t := range traces {
		if all.Trace != "" && all.Trace != t.name {
			continue
		}
		results := make([][]result, len(rivals))
		for range rounds {
			for i, r := range rivals {
				if all.Cache != "" && all.Cache != r.name {
					continue
				}
				j := all
				j.Cache, j.Trace = r.name, t.name
				got, err := process(j)
				if err != nil {
					return err
				}
				found = true
				results[i] = append(results[i], got)
			}
		}
		fmt.Fprintf(to, "%s: %s\n", t.name, t.what)
		table := tabwriter.NewWriter(to, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "cache\thits, %\tns/request\tpeak, MiB\tcollections\t")
		for i, r := range rivals {
			if len(results[i]) == 0 {
				continue
			}
			slices.SortFunc(results[i], func(a, b result) int { return int(a.Nanoseconds - b.Nanoseconds) })
			m := results[i][len(results[i])/2]
			fmt.Fprintf(table, "%s\t%.2f\t%.0f\t%.0f\t%d\t\n", r.name, 100*float64(m.Hits)/float64(m.Requests), m.Nanoseconds, float64(m.PeakKiB)/1024, m.Collections)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(to)
	}
	if !found {
		return errors.New("no cache or no trace has that name")
	}
	return nil
}

// process does a job in a process of its own.
func process(j job) (r result, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return r, err
	}
	c := exec.Command(self, "-child", string(text))
	c.Stderr = os.Stderr
	said, err := c.Output()
	if err != nil {
		return r, fmt.Errorf("%s on %s: %w", j.Cache, j.Trace, err)
	}
	if err := json.Unmarshal(said, &r); err != nil {
		return r, fmt.Errorf("%s on %s said %q: %w", j.Cache, j.Trace, said, err)
	}
	r.PeakKiB = peak(c.ProcessState)
	return r, nil
}
