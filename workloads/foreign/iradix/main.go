// Command iradix inserts keys into an immutable radix tree of
// github.com/hashicorp/go-immutable-radix. The problem is in ../spec.md.
package main

import (
	"fmt"
	"math/rand/v2"

	iradix "github.com/hashicorp/go-immutable-radix"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	trees = 12     // number of trees of a run at the default depth
	keys  = 20_000 // number of keys in each tree
)

// versions creates one tree after another, with a version for each key.
type versions struct {
	keys [][]byte
	tree *iradix.Tree
}

func main() { driver.Main("iradix", &versions{}) }

// Load generates the keys.
func (v *versions) Load(depth int) (int, error) {
	random := rand.New(rand.NewPCG(13, 14))
	for range keys {
		begin := []byte{byte(random.Uint32()), byte(random.Uint32())}
		v.keys = append(v.keys, fmt.Appendf(begin, "/service-%d/node-%x", random.IntN(1000), random.Uint32()))
	}
	return driver.Operations(depth, trees), nil
}

// Operate inserts all keys into a new tree. Each insertion creates a new version. The previous
// version is then dead, except for the nodes that the two share.
func (v *versions) Operate() error {
	v.tree = nil
	driver.Reset()
	v.tree = iradix.New()
	for i, key := range v.keys {
		v.tree, _, _ = v.tree.Insert(key, i)
	}
	return nil
}

// Sum traverses the last version, in the order of its keys.
func (v *versions) Sum() (uint64, error) {
	s := driver.NewSum()
	s.Number(v.tree.Len())
	v.tree.Root().Walk(func(key []byte, value any) bool {
		s.Text(string(key))
		s.Number(value.(int))
		return false
	})
	return uint64(s), nil
}
