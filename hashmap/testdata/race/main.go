// Command race reads a map in one goroutine while another changes it, which the race detector must report.
package main

import (
	"sync"

	"github.com/coppice-go/coppice/hashmap"
)

func main() {
	m := hashmap.New[uint64, uint64]()
	defer m.Close()
	m.Set(1, 1)
	var both sync.WaitGroup
	both.Go(func() { m.Set(1, 2) })
	both.Go(func() { m.Get(1) })
	both.Wait()
}
