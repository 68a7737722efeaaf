// Command expect prints the expected output of vectors for a depth, from the formulas of
// ../spec.md alone: it computes the elements and keeps none of them.
package main

import (
	"fmt"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

func main() {
	depth := arguments.Number(0, 28, "expect DEPTH")
	var state, elements, x uint64 = 1, 0, 0
	next := func() (n uint64, base, step uint32) {
		state += 0x9e3779b97f4a7c15
		d := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		d = (d ^ d>>27) * 0x94d049bb133111eb
		d ^= d >> 31
		n = 1 + d>>8%8
		if d%10 == 9 {
			n = 9 + d>>8%64
		}
		elements += n
		return n, uint32(d >> 16), uint32(d >> 48)
	}
	for range 1 << depth {
		var v uint64
		n, base, step := next()
		for i := range uint32(n) {
			v += uint64(base+i*step) * uint64(step+i)
		}
		n, base, step = next()
		var right, top uint32
		for i := range uint32(n) {
			right, top = max(right, base+i*step), max(top, base^i)
		}
		v += uint64(right) + uint64(top)
		n, base, step = next()
		for i := range uint32(n) {
			v += uint64(base + i*step)
		}
		x = 31*x + v
	}
	fmt.Printf("%d objects, %d elements\nchecksum %d\n", 1<<depth, elements, x)
}
