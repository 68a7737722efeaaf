// Command rtreego fills an R-tree of github.com/dhconnelly/rtreego. The problem is in
// ../spec.md.
package main

import (
	"math"
	"math/rand/v2"

	"github.com/dhconnelly/rtreego"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	trees   = 4      // number of trees of a run at the default depth
	objects = 30_000 // number of objects in each tree
)

// box is an object.
type box struct {
	rect   rtreego.Rect
	number int
}

// Bounds returns the rectangle of the object.
func (b *box) Bounds() rtreego.Rect { return b.rect }

// index fills one tree after another.
type index struct {
	boxes []*box
	tree  *rtreego.Rtree
}

func main() { driver.Main("rtreego", &index{}) }

// Load generates the objects.
func (x *index) Load(depth int) (int, error) {
	random := rand.New(rand.NewPCG(7, 8))
	for i := range objects {
		rect, err := rtreego.NewRect(rtreego.Point{random.Float64(), random.Float64()}, []float64{0.001 + random.Float64()/100, 0.001 + random.Float64()/100})
		if err != nil {
			return 0, err
		}
		x.boxes = append(x.boxes, &box{rect, i})
	}
	return driver.Operations(depth, trees), nil
}

// Operate inserts all objects into a new tree.
func (x *index) Operate() error {
	x.tree = rtreego.NewTree(2, 25, 50)
	for _, b := range x.boxes {
		x.tree.Insert(b)
	}
	return nil
}

// Sum searches for the objects in each of many squares, and hashes them in the order of the
// tree.
func (x *index) Sum() (uint64, error) {
	s := driver.NewSum()
	const squares = 20
	for i := range squares * squares {
		corner := rtreego.Point{float64(i%squares) / squares, float64(i/squares) / squares}
		square, err := rtreego.NewRect(corner, []float64{1.0 / squares, 1.0 / squares})
		if err != nil {
			return 0, err
		}
		for _, found := range x.tree.SearchIntersect(square) {
			b := found.(*box)
			s.Number(b.number)
			s.Number(int(math.Float64bits(b.rect.PointCoord(0))))
		}
	}
	s.Number(x.tree.Depth())
	return uint64(s), nil
}
