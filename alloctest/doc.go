// Package alloctest tests allocators. It checks the promises that users of allocators
// rely on, and reports which promise is broken and after which calls.
//
// Write a function that opens a new allocator and describes it by its functions, and pass it to
// Run. A function that is nil is not tested, and the log says so:
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
// The kit fills every value with a pattern that follows from the value's number, and checks
// all values repeatedly. It keeps weak pointers to what values point to. So it knows when the
// collector has freed something too early or too late. It keeps values alive exactly as a user
// does. Random choices come from a fixed seed, which the message of a failure names, so that a
// failure can be repeated.
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
// The kit does not test speed, other promises of an allocator, and the memory of an allocator
// without Release. Of large values it tests few: as many as fit into the memory of the scale, such
// as 2,048 of 4 KiB at Normal. A test can show that there is a bug, and not that there is none.
//
// The idea of a kit that tests what others write is that of testing/fstest and, for
// allocators, of Zig's standard library.
package alloctest
