// Package shared has what rule sharedalloc must report.
package shared

import (
	"sync"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

type node struct{ left store.Ref[node] }

type worker struct {
	nodes slab.Slab[node]
	done  chan bool
}

func loop(nodes *slab.Slab[node]) {
	for range 4 {
		go func() { nodes.New() }() // want `the goroutines of this loop share a slab.Slab without a lock`
	}
}

func local() {
	var nodes slab.Slab[node]
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { // want `the goroutines of this loop share a slab.Slab`
			nodes.New()
		})
	}
	group.Wait()
}

func beside(nodes *slab.Slab[node], done chan bool) {
	go func() { // want `this goroutine and line 42 use a slab.Slab concurrently, without a lock`
		nodes.New()
		done <- true
	}()
	nodes.New()
	<-done
}

func two(nodes *slab.Slab[node], group *sync.WaitGroup) {
	go fill(nodes) // want `this goroutine and line 48 use a slab.Slab concurrently`
	go fill(nodes)
	group.Wait()
}

func fill(nodes *slab.Slab[node]) { nodes.New() }

func stored(s *store.Store[node], group *sync.WaitGroup) {
	for range 4 {
		group.Add(1)
		go func() { // want `share a store.Store without a lock`
			defer group.Done()
			s.Alloc(node{})
		}()
	}
	group.Wait()
}

func readerAndWriter(s *store.Store[node], r store.Ref[node], done chan node) {
	go func() { done <- *s.At(r) }() // want `this goroutine and line 67 use a store.Store concurrently`
	s.Alloc(node{})
	<-done
}

func arenas(a *arena.Arena, done chan bool) {
	go func() { // want `this goroutine and line 76 use an arena.Arena concurrently`
		arena.New[node](a)
		done <- true
	}()
	arena.New[node](a)
	<-done
}

func (w *worker) run() { w.nodes.New() }

func field() {
	w := &worker{}
	go w.run() // want `this goroutine and line 85 use a slab.Slab concurrently`
	w.nodes.New()
}

func workers(nodes *slab.Slab[node], jobs chan int) {
	for range 4 {
		go func() { // want `the goroutines of this loop share a slab.Slab`
			for range jobs {
				nodes.New()
			}
		}()
	}
}

func parallel(b *testing.B) {
	var nodes slab.Slab[node]
	b.RunParallel(func(pb *testing.PB) { // want `goroutines share a slab.Slab without a lock`
		for pb.Next() {
			nodes.New()
		}
	})
}

func deferred(nodes *slab.Slab[node]) {
	defer nodes.Reset()
	go func() { nodes.New() }() // want `this goroutine and line 108 use a slab.Slab concurrently`
}

func oneWriter(s *store.Store[node]) {
	w := s.Writer()
	for range 4 {
		go func() { w.Alloc(node{}) }() // want `share a store.Writer`
	}
}
