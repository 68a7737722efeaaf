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
// # How much is tested
//
// A [Scale] says how many values one allocator sees: 8,192 at Short, 131,072 at Normal, ten
// million at Large, or as many as go into some memory. Run takes Normal, and Short under go
// test -short; Verify takes Short. For a fault that bites at the millionth value run by hand,
// or every night,
//
//	ALLOCTEST_SCALE=large go test -run TestConformance -timeout 1h
//
// An allocator with room for a fixed number of values says so in Room.
//
// Run it with -race too, without which two goroutines in one value may go unnoticed, and
// once with GOGC=1 GODEBUG=gccheckmark=1.
//
// # Memory after Release
//
// [Freed] looks at the Go heap after Release, while somebody still has the allocator, and
// after a second Release. 64 KiB may stay. What is outside the Go heap it sees only if
// OffHeap says what is held there, and believes it. Other goroutines that allocate
// at the same time disturb it: do not call Run in a parallel test.
//
// # What is not
//
// Speed, and what an allocator promises beyond these; the memory of an allocator that has
// no Release. Values so large that few fit into the memory of the scale: of 4 KiB there are 2,048
// at Normal. A test cannot show that there is
// no bug, only that there is one.
//
// The idea of a kit that tests what others write is that of testing/fstest and, for
// allocators, of Zig's standard library.
package alloctest
