// Command race writes one record from two goroutines that do not synchronize.
package main

import (
	"sync"

	"github.com/coppice-go/coppice/store"
)

func main() {
	s, err := store.New[int64](store.Options{})
	if err != nil {
		panic(err)
	}
	_, record := s.New()
	var wg sync.WaitGroup
	for i := range int64(2) {
		wg.Go(func() { *record = i })
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		panic(err)
	}
}
