package hashmap_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/coppice-go/coppice/hashmap"
)

// visits returns a Sharded for the examples. It maps pages to numbers of visits.
func visits() *hashmap.Sharded[string, uint64] {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	for i, page := range []string{"/", "/login", "/help"} {
		s.Set(page, uint64(100*i))
	}
	return s
}

func ExampleNewSharded_counts() {
	hits := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer hits.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			hits.Update("/index.html", func(n uint64, _ bool) uint64 { return n + 1 })
		})
	}
	all.Wait()
	fmt.Println(hits.Get("/index.html"))
	// Output: 4 true
}

func ExampleNewSharded() {
	s, err := hashmap.NewSharded[uint64, uint64](hashmap.Options{Shards: 64, Max: 10_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.GetOrSet(1, 10))
	fmt.Println(s.GetOrSet(1, 20))
	// Output:
	// 10 false
	// 10 true
}

func ExampleSharded_Get() {
	s := visits()
	defer s.Close()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			if n, ok := s.Get("/help"); !ok || n != 200 {
				fmt.Println("lost:", n, ok)
			}
		})
	}
	readers.Wait()
	fmt.Println(s.Get("/none"))
	// Output: 0 false
}

// Each goroutine sets different keys, so no further synchronization is needed.
func ExampleSharded_Set() {
	s := hashmap.Must(hashmap.NewSharded[uint64, uint64](hashmap.Options{}))
	defer s.Close()
	var writers sync.WaitGroup
	for w := range uint64(4) {
		writers.Go(func() {
			for k := w; k < 1000; k += 4 {
				s.Set(k, k*k)
			}
		})
	}
	writers.Wait()
	fmt.Println(s.Len())
	fmt.Println(s.Get(999))
	// Output:
	// 1000
	// 998001 true
}

func ExampleSharded_TrySet() {
	s, err := hashmap.NewSharded[uint64, uint64](hashmap.Options{Shards: 1, Max: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for k := uint64(0); ; k++ {
		if err := s.TrySet(k, k); errors.Is(err, hashmap.ErrFull) {
			fmt.Println("full:", s.Len() == int(k))
			break
		}
	}
	// Output: full: true
}

// The first goroutine to arrive assigns a number to the name, and all others get the same number.
func ExampleSharded_GetOrSet() {
	numbers := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer numbers.Close()
	var all sync.WaitGroup
	given := make([]uint64, 4)
	for i := range given {
		all.Go(func() { given[i], _ = numbers.GetOrSet("ash", uint64(i)) })
	}
	all.Wait()
	fmt.Println(given[0] == given[1], given[1] == given[2], given[2] == given[3])
	// Output: true true true
}

// Update locks the shard that contains the key, so no increment is lost.
func ExampleSharded_Update() {
	s := visits()
	defer s.Close()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			s.Update("/login", func(n uint64, _ bool) uint64 { return n + 1 })
		})
	}
	all.Wait()
	fmt.Println(s.Get("/login"))
	// Output: 110 true
}

// If several goroutines delete the same key, Delete returns true in exactly one of them.
func ExampleSharded_Delete() {
	s := visits()
	defer s.Close()
	deleted := make(chan bool, 4)
	for range cap(deleted) {
		go func() { deleted <- s.Delete("/help") }()
	}
	n := 0
	for range cap(deleted) {
		if <-deleted {
			n++
		}
	}
	fmt.Println(n, s.Len())
	// Output: 1 2
}

func ExampleSharded_Len() {
	s := visits()
	defer s.Close()
	s.Set("/about", 1)
	s.Set("/", 1)
	fmt.Println(s.Len(), "pages")
	// Output: 4 pages
}

// The loop body may change the map, because All holds no lock while it runs.
func ExampleSharded_All() {
	s := visits()
	defer s.Close()
	sum := uint64(0)
	for page, n := range s.All() {
		if sum += n; n == 0 {
			s.Delete(page)
		}
	}
	fmt.Println(sum, s.Len())
	// Output: 300 2
}

func ExampleSharded_Clear() {
	s := visits()
	defer s.Close()
	for day := range 3 {
		s.Update("/", func(n uint64, _ bool) uint64 { return n + 1 })
		fmt.Println("day", day, "pages", s.Len())
		s.Clear() // keeps the memory for the next day
	}
	// Output:
	// day 0 pages 3
	// day 1 pages 1
	// day 2 pages 1
}

func ExampleSharded_Close() {
	s := visits()
	fmt.Println(s.Close(), s.Close())
	// Output: <nil> <nil>
}

func ExampleSharded_Has() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	fmt.Println(s.Has("a"), s.Has("b"))
	// Output: true false
}

func ExampleSharded_TryGetOrSet() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	fmt.Println(s.TryGetOrSet("a", 2))
	// Output: 1 true <nil>
}

func ExampleSharded_TryUpdate() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	err := s.TryUpdate("a", func(n uint64, _ bool) uint64 { return n + 1 })
	fmt.Println(err)
	fmt.Println(s.Get("a"))
	// Output:
	// <nil>
	// 2 true
}

func ExampleSharded_Stats() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	fmt.Println(s.Stats().Len)
	// Output: 1
}

func ExampleSharded_Clone() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	c, err := s.Clone()
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	s.Set("a", 2)
	fmt.Println(c.Get("a"))
	// Output: 1 true
}

func ExampleSharded_Keys() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	for k := range s.Keys() {
		fmt.Println(k)
	}
	// Output: a
}

func ExampleSharded_Values() {
	s := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer s.Close()
	s.Set("a", 1)
	for v := range s.Values() {
		fmt.Println(v)
	}
	// Output: 1
}

// A server calls Save regularly while it runs. After a restart, it opens the last complete file.
func ExampleSharded_Save() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "visits")
	s := visits()
	defer s.Close()
	var worker sync.WaitGroup
	worker.Go(func() { s.Set("/new", 1) }) // waits while the file is written
	if err := s.Save(path); err != nil {
		log.Fatal(err)
	}
	worker.Wait()
	opened, err := hashmap.OpenShardedFile[string, uint64](path, hashmap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Get("/help"))
	// Output: 200 true
}

// A machine with more processors opens the file with more shards, for which all entries have to be
// set again. With the saved number of shards, or with 0, the file is mapped into memory instead.
func ExampleOpenShardedFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "visits")
	s := visits()
	defer s.Close()
	if err := s.Save(path); err != nil {
		log.Fatal(err)
	}
	opened, err := hashmap.OpenShardedFile[string, uint64](path, hashmap.Options{Shards: 16, Max: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Len(), opened.Has("/login"))
	// Output: 3 true
}

func ExampleSharded_Verify() {
	s := visits()
	defer s.Close()
	fmt.Println(s.Verify())
	// Output: <nil>
}

func ExampleSharded_AllBytes() {
	s := visits()
	defer s.Close()
	total := 0
	for k := range s.AllBytes() {
		total += len(k)
	}
	fmt.Println(total, "bytes of keys")
	// Output: 12 bytes of keys
}

// An expensive value is computed only once, however many goroutines request it.
func ExampleSharded_LoadOrCompute() {
	s := visits()
	defer s.Close()
	fmt.Println(s.LoadOrCompute("/new", func() (uint64, bool) { return 7, false }))
	fmt.Println(s.LoadOrCompute("/new", func() (uint64, bool) { panic("it is there") }))
	// Output:
	// 7 false
	// 7 true
}

func ExampleSharded_TryLoadOrCompute() {
	s := visits()
	defer s.Close()
	fmt.Println(s.TryLoadOrCompute("/new", func() (uint64, bool) { return 0, true }))
	// Output: 0 false <nil>
}

// This example deletes a counter when it reaches zero.
func ExampleSharded_Compute() {
	s := visits()
	defer s.Close()
	less := func(n uint64, loaded bool) (uint64, hashmap.ComputeOp) {
		switch {
		case !loaded:
			return 0, hashmap.CancelOp
		case n <= 150:
			return 0, hashmap.DeleteOp
		}
		return n - 150, hashmap.UpdateOp
	}
	fmt.Println(s.Compute("/help", less))
	fmt.Println(s.Compute("/help", less))
	fmt.Println(s.Compute("/help", less))
	// Output:
	// 50 true
	// 0 false
	// 0 false
}

func ExampleSharded_TryCompute() {
	s := visits()
	defer s.Close()
	fmt.Println(s.TryCompute("/help", func(n uint64, _ bool) (uint64, hashmap.ComputeOp) { return n + 1, hashmap.UpdateOp }))
	// Output: 201 true <nil>
}

func ExampleSharded_LoadAndDelete() {
	s := visits()
	defer s.Close()
	fmt.Println(s.LoadAndDelete("/login"))
	fmt.Println(s.LoadAndDelete("/login"))
	// Output:
	// 100 true
	// 0 false
}

func ExampleSharded_Reserve() {
	s := visits()
	defer s.Close()
	fmt.Println(s.Reserve(100_000), s.Stats().Slots > 100_000)
	// Output: <nil> true
}
