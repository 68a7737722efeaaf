// Command allocates makes known numbers of objects, and writes heap profiles before and after, and a CPU profile, into
// the folder that is its argument.
package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

type node struct {
	next *node
	data [6]int64
}

type list[T any] struct{ items []*T }

func (l *list[T]) add(v T) {
	p := new(T) // GENERIC
	*p = v
	l.items = append(l.items, p)
}

func init() { runtime.MemProfileRate = 1 }

var (
	kept    *node
	strings []string
	dropped *node
	held    list[node]
)

//go:noinline
func work(n int) {
	held.items = make([]*node, 0, n)
	for range n {
		kept = newNode(kept)
		dropped = &node{} // DROPPED
		held.add(node{})
	}
	for range n {
		strings = append(strings[:0], string(bytes.Repeat([]byte("x"), 64))) // CALL
	}
}

func newNode(next *node) *node { return &node{next: next} } // INLINED

func write(name string) {
	runtime.GC()
	runtime.GC()
	f, err := os.Create(filepath.Join(os.Args[1], name))
	if err == nil {
		err = pprof.Lookup("allocs").WriteTo(f, 0)
	}
	if err == nil {
		err = f.Close()
	}
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// used is the CPU time of the process.
func used() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	strings = make([]string, 0, 1)
	work(10)
	write("before")
	work(1000)
	write("after")

	// At the usual rate, as that of 1 is most of the time.
	runtime.MemProfileRate = 512 << 10
	f, err := os.Create(filepath.Join(os.Args[1], "cpu"))
	check(err)
	check(pprof.StartCPUProfile(f))
	for used() < time.Second { // not a second of the clock: on a busy machine that has too few samples
		for range 1000 {
			dropped = newNode(nil) // HOT
		}
	}
	pprof.StopCPUProfile()
	check(f.Close())
}
