package published

import "testing"

// length is the length of the slices that the three published functions fill.
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

// filled is the function that the benchmark called. The program calls it again to compute the
// answer.
var filled func() []bool

// end requests allocation counts after the loop, as the published benchmarks do. The other
// published way is the flag -test.benchmem.
func end(b *testing.B, f func() []bool) {
	filled = f
	if *call {
		b.ReportAllocs()
	}
}

// count is the number of bools that the lab requests. The published programs fill 1000. With any
// other count, the lab only checks that the programs work.
var count = length

// tried reports whether a count other than 1000 was requested. If so, it benchmarks a function that
// fills that number of bools.
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

// The published benchmarks discard the result. The compiler inlines the function, proves that the
// slice does not outlive the loop, and keeps the array of 1000 bools on the stack.

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

// kept receives the results of the other benchmarks, so that the array is on the heap, as it was
// when the results were published.
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
