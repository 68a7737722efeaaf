// Command word-index builds an index of a million words in three ways and prints the cost of
// each, above all the cost of a collection while the index is live.
//
//	go run ./workloads/word-index/go
//
// The problem is in ../spec.md. Each index is in its own file.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/store"
)

// An index counts words.
type index interface {
	// add counts one occurrence of the word.
	add(word string)
	// count returns the number of times that the word was added.
	count(word string) int
	// close frees what the collector does not.
	close() error
}

// indexes lists the kinds of index, in the order of the table.
var indexes = []struct {
	name string
	open func(words int) (index, error)
}{
	{"map[string]int", newBuiltin},
	{"pointers", newPointers},
	{"store", newStored},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	distinct := 1_000_000
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > 20_000_000 || len(args) > 1 {
			fmt.Fprintf(stderr, "word-index: want one count of words from 1 to 20000000, got %q\n", args)
			return 2
		}
		distinct = n
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "INDEX\tBUILD ns/word\tLOOK UP ns/word\tCOLLECTION CPU ms\tGO HEAP MiB\tSTORE MiB\t")
	for _, way := range indexes {
		r, err := measure(way.open, distinct)
		if err != nil {
			fmt.Fprintf(stderr, "word-index: %s: %v\n", way.name, err)
			return 1
		}
		fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.2f\t%.1f\t%.1f\t\n", way.name, r.build, r.lookUp, r.collect, r.heap, r.store)
	}
	if err := table.Flush(); err != nil {
		fmt.Fprintf(stderr, "word-index: %v\n", err)
		return 1
	}
	return 0
}

// result contains the costs of one index.
type result struct{ build, lookUp, collect, heap, store float64 }

const mib = 1 << 20

func measure(open func(int) (index, error), distinct int) (r result, err error) {
	debug.FreeOSMemory()
	heapBefore := heapBytes()
	words, text := makeText(distinct)
	x, err := open(distinct)
	if err != nil {
		return r, err
	}
	defer func() {
		if closeErr := x.close(); err == nil {
			err = closeErr
		}
	}()
	start := time.Now()
	for _, word := range text {
		x.add(word)
	}
	r.build = float64(time.Since(start).Nanoseconds()) / float64(len(text))

	start = time.Now()
	sum := 0
	for _, word := range words {
		sum += x.count(word)
	}
	r.lookUp = float64(time.Since(start).Nanoseconds()) / float64(len(words))
	if sum != len(text) {
		return r, fmt.Errorf("the counts add up to %d; the text has %d words", sum, len(text))
	}

	words, text = nil, nil // only the words of the index stay alive
	runtime.GC()
	r.heap = float64(heapBytes()-heapBefore) / mib
	for _, total := range store.Totals() {
		r.store += float64(total.Committed) / mib
	}
	r.collect, err = collectionCPU()
	runtime.KeepAlive(x)
	return r, err
}

// collectionCPU returns the median CPU time, in milliseconds, of a forced collection.
func collectionCPU() (float64, error) {
	var all []float64
	for range 9 {
		before, err := machine.OwnUsage()
		if err != nil {
			return 0, err
		}
		runtime.GC()
		after, err := machine.OwnUsage()
		if err != nil {
			return 0, err
		}
		all = append(all, float64((after.CPU()-before.CPU()).Microseconds())/1000)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
