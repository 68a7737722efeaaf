// Command loops has loops over a map, for a test of how the compiler compiles them.
package main

import "github.com/coppice-go/coppice/btree"

func main() {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	defer m.Close()
	sum := uint64(0)
	for k, v := range m.All() {
		sum += k + v
	}
	for k, v := range m.Backward() {
		sum += k + v
	}
	for k, v := range m.Range(1, 2) {
		sum += k + v
	}
	println(sum)
}
