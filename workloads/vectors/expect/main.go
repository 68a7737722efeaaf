// Command expect prints what a solution of vectors must print for a depth, from the
// formulas of ../spec.md alone: it computes the elements and keeps none of them.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: expect DEPTH")
		os.Exit(2)
	}
	depth, err := strconv.Atoi(os.Args[1])
	if err != nil || depth < 0 || depth > 28 {
		fmt.Fprintf(os.Stderr, "expect: depth %q is not a whole number from 0 to 28\n", os.Args[1])
		os.Exit(2)
	}
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
