// Command inline is what a user's hot loops look like to the compiler.
package main

import "github.com/coppice-go/coppice/inline"

type vec = inline.Vec[int, [8]int]

func push(v *vec, x int) { v.Append(x) }

func at(v *vec, i int) int { return *v.At(i) }

func count(v *vec) int { return v.Len() }

func slice(v *vec) []int { return v.Slice() }

func sum(v *vec) (sum int) {
	s := v.Slice()
	for i := range s {
		sum += s[i]
	}
	return sum
}

func all(v *vec) (sum int) {
	for _, x := range v.All() {
		sum += x
	}
	return sum
}

func onStack(n int) int {
	var local vec
	for i := range n {
		local.Append(i)
	}
	local.AppendSlice(1, 2, 3)
	local.Insert(1, 4)
	local.Delete(0, 1)
	local.Truncate(1)
	local.Grow(n)
	x, _ := local.Pop()
	clone := local.Clone()
	local.Clear()
	return x + sum(&local) + all(&local) + count(&clone) + local.Cap()
}

func main() {
	var v vec
	push(&v, 1)
	println(at(&v, 0), count(&v), sum(&v), all(&v), len(slice(&v)), onStack(3))
}
