package shared

import (
	"sync"
	"testing"

	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

func ownSlab() {
	for range 4 {
		go func() {
			var nodes slab.Slab[node]
			nodes.New()
		}()
	}
}

func slabOfTurn() {
	for range 4 {
		var nodes slab.Slab[node]
		go func() { nodes.New() }()
	}
}

func locked(nodes *slab.Slab[node]) {
	var mu sync.Mutex
	for range 4 {
		go func() {
			mu.Lock()
			defer mu.Unlock()
			nodes.New()
		}()
	}
	mu.Lock()
	nodes.New()
	mu.Unlock()
}

func waited(nodes *slab.Slab[node]) {
	var group sync.WaitGroup
	group.Go(func() { nodes.New() })
	group.Wait()
	nodes.New()
}

func received(nodes *slab.Slab[node], done chan bool) {
	go func() {
		nodes.New()
		done <- true
	}()
	<-done
	nodes.Reset()
}

func oneAfterTheOther(nodes *slab.Slab[node], done chan bool) {
	for range 4 {
		go func() {
			nodes.New()
			done <- true
		}()
		<-done
	}
}

func before(nodes *slab.Slab[node]) {
	nodes.New()
	go func() { nodes.New() }()
}

func handedOver(nodes *slab.Slab[node], begin chan bool) {
	go func() {
		<-begin
		nodes.New()
	}()
	nodes.New()
	begin <- true
}

func readers(s *store.Store[node], r store.Ref[node], out chan node) {
	for range 4 {
		go func() { out <- *s.At(r) }()
	}
	s.Len()
}

func writers(s *store.Store[node]) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			w := s.Writer()
			defer w.Close()
			w.Alloc(node{})
		})
	}
	s.Alloc(node{})
	group.Wait()
}

func pooled(p *pool.Pool[node]) {
	for range 4 {
		go func() { p.Put(p.Get()) }()
	}
}

func eachItsOwn(all []*slab.Slab[node]) {
	for i := range all {
		go func() { all[i].New() }()
	}
}

func fields() {
	for range 4 {
		w := &worker{}
		go w.run()
	}
}

func otherSlab(a, b *slab.Slab[node]) {
	go func() { a.New() }()
	b.New()
}

func parallelEach(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		var nodes slab.Slab[node]
		for pb.Next() {
			nodes.New()
		}
	})
}

func token(nodes *slab.Slab[node], turn chan bool) {
	for range 4 {
		go func() {
			turn <- true
			nodes.New()
			<-turn
		}()
	}
}

func replaced() {
	nodes := new(slab.Slab[node])
	for range 4 {
		go fill(nodes)
		nodes = new(slab.Slab[node])
	}
}

func wanted(nodes *slab.Slab[node]) {
	for range 4 {
		//coppice:ignore sharedalloc the test wants the panic
		go fill(nodes)
	}
}

func deferredWait(nodes *slab.Slab[node]) {
	var group sync.WaitGroup
	defer nodes.Reset()
	defer group.Wait()
	group.Go(func() { nodes.New() })
}

type holder struct{ nodes *slab.Slab[node] }

func replacedField(h *holder) {
	for range 4 {
		go fill(h.nodes)
		h.nodes = new(slab.Slab[node])
	}
}

func relay(nodes *slab.Slab[node], turn chan bool) {
	go func() {
		nodes.New()
		turn <- true
	}()
	go func() {
		<-turn
		nodes.New()
	}()
}
