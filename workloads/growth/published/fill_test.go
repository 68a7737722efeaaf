package published

import "testing"

// The three published functions fill a slice of this length.
const length = 1000

func appendToNil() []bool {
	var s []bool //coppice:ignore slicegrowth this is what the others are compared with
	for i := 0; i < length; i++ {
		s = append(s, i%2 == 0)
	}
	return s
}

func appendToMake() []bool {
	s := make([]bool, 0, length)
	for i := 0; i < length; i++ {
		s = append(s, i%2 == 0)
	}
	return s
}

func assign() []bool {
	s := make([]bool, length)
	for i := 0; i < length; i++ {
		s[i] = i%2 == 0
	}
	return s
}

// filled is the function that the benchmark has called, for the answer.
var filled func() []bool

// end asks for the counts of allocations where the published benchmarks do, after the loop. The
// flag -test.benchmem is the other published way.
func end(b *testing.B, f func() []bool) {
	filled = f
	if *call {
		b.ReportAllocs()
	}
}

// count is how many bools the lab asks for. What is published fills 1000; with another count the
// lab only tries whether the programs work.
var count = length

// tried fills another count of bools, and reports whether that was asked for.
func tried(b *testing.B) bool {
	if count == length {
		return false
	}
	fill := func() []bool {
		s := make([]bool, count)
		for i := range s {
			s[i] = i%2 == 0
		}
		return s
	}
	for n := 0; n < b.N; n++ {
		kept = fill()
	}
	end(b, fill)
	return true
}

// The published benchmarks drop the result. The compiler inlines the function, sees that the slice
// does not outlive the loop, and keeps the array of 1000 bools on the stack.

func BenchmarkAppendToNil(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		appendToNil()
	}
	end(b, appendToNil)
}

func BenchmarkAppendToMake(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		appendToMake()
	}
	end(b, appendToMake)
}

func BenchmarkAssign(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		assign()
	}
	end(b, assign)
}

// kept is where the other benchmarks put the result, so that the array is on the heap, as it was
// when the figures were published.
var kept []bool

func BenchmarkAppendToNilKept(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		kept = appendToNil()
	}
	end(b, appendToNil)
}

func BenchmarkAppendToMakeKept(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		kept = appendToMake()
	}
	end(b, appendToMake)
}

func BenchmarkAssignKept(b *testing.B) {
	if tried(b) {
		return
	}
	for n := 0; n < b.N; n++ {
		kept = assign()
	}
	end(b, assign)
}
