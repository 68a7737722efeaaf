// Package alloctest tests allocators: it checks the promises that everybody who
// allocates relies on, and says which one is broken and after which calls.
//
// Describe an allocator by its functions, in a function that opens a fresh one, and
// Run it. What is nil is not tested, and the log says so:
//
//	func TestConformance(t *testing.T) {
//		alloctest.Run(t, open[byte])
//		alloctest.Run(t, open[[3]uint16])
//		alloctest.Run(t, open[alloctest.Node])
//	}
//
//	func open[T any]() alloctest.Allocator[*T, T] {
//		p := new(mine.Allocator[T])
//		return alloctest.Allocator[*T, T]{New: alloctest.Pointer(p.New), Reset: p.Reset, Len: p.Len}
//	}
//
// An allocator that handles many types is worth running with several: of one byte, of an
// odd size, of no size, larger than a chunk, and with pointers in it. [Node] has what
// usually goes wrong.
//
// # What is tested
//
// Each [Promise] is a subtest of its own. [Verify] tests one and returns an error, for
// those who want to see a test fail on an allocator that is wrong on purpose.
//
// The kit fills every value with a pattern that only its number explains, and looks at
// all of them again and again. Of what values point to it keeps weak pointers, so it
// knows when the collector has dropped something too early or too late. It holds on to
// values exactly as a user does. Whatever is random comes from a fixed seed, which the
// message of a failure names: a failure comes again.
//
// Run it with -race too, without which two goroutines in one value may go unnoticed, and
// once with GOGC=1 GODEBUG=gccheckmark=1. It takes less than a second for one type.
//
// # What is not
//
// Speed, and what an allocator promises beyond these. A test cannot show that there is
// no bug, only that there is one.
//
// The idea of a kit that tests what others write is that of testing/fstest and, for
// allocators, of Zig's standard library.
package alloctest
