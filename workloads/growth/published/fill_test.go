package published

import "testing"

// count is how many bools a slice has: 1000, as published, unless the lab asks for another.
var count = 1000

// filled keeps the compiler from leaving the work out.
var filled []bool

// asked asks for the counts of allocations in the first of the two published ways. The second is the flag
// -test.benchmem.
func asked(b *testing.B) {
	if *call {
		b.ReportAllocs()
	}
}

func BenchmarkAppendToNil(b *testing.B) {
	asked(b)
	for i := 0; i < b.N; i++ {
		var s []bool //coppice:ignore slicegrowth this is what the others are compared with
		for j := 0; j < count; j++ {
			s = append(s, j%3 == 0)
		}
		filled = s
	}
}

func BenchmarkAppendToMake(b *testing.B) {
	asked(b)
	for i := 0; i < b.N; i++ {
		s := make([]bool, 0, count)
		for j := 0; j < count; j++ {
			s = append(s, j%3 == 0)
		}
		filled = s
	}
}

func BenchmarkAssign(b *testing.B) {
	asked(b)
	for i := 0; i < b.N; i++ {
		s := make([]bool, count)
		for j := 0; j < count; j++ {
			s[j] = j%3 == 0
		}
		filled = s
	}
}
