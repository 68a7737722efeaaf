// Package alloctest tests allocators. It checks the promises that users of allocators rely on, and
// reports a broken promise with the calls that led to it.
//
// Write a function that opens a new allocator and returns an Allocator that describes it, and pass
// that function to Run. Functions of the Allocator that are nil are not tested, and the log reports
// this:
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
// Test an allocator that supports many types with several of them: types of one byte, of an odd
// size, of size zero, larger than a chunk, and with pointers. [Node] covers the usual problems.
//
// # What is tested
//
// Each [Promise] is a subtest. [Verify] tests one promise and returns an error, for example to
// check that the test fails with a faulty allocator.
//
// The kit fills every value with a pattern that is determined by the value's number, and checks all
// values repeatedly. It keeps weak pointers to what values point to, and therefore detects if the
// collector has freed something too early or too late. It keeps values alive as a user's program
// does. Random choices come from a fixed seed, which the message of a failure contains, so that a
// failure can be reproduced.
//
// # How much is tested
//
// A [Scale] determines how many values one allocator handles: 8,192 at Short, 131,072 at Normal,
// ten million at Large, or as many as fit into a limited amount of memory. Run uses Normal, and
// Short under go test -short; Verify uses Short. To find a fault that occurs only at the millionth
// value, run manually or every night:
//
//	ALLOCTEST_SCALE=large go test -run TestConformance -timeout 1h
//
// An allocator with room for a fixed number of values sets Room.
//
// Run the tests also with -race, without which concurrent use of one value may go undetected, and
// once with GOGC=1 GODEBUG=gccheckmark=1.
//
// # Memory after Release
//
// [Freed] measures the Go heap after Release, while the allocator is still reachable, and after a
// second Release. An allocator may keep up to 64 KiB. Memory outside the Go heap is included only
// if OffHeap reports it; the kit relies on that value. Other goroutines that allocate at the same
// time disturb the measurement: do not call Run in a parallel test.
//
// # What is not tested
//
// The kit does not test speed, other promises of an allocator, or the memory of an allocator
// without Release. It tests few large values: as many as fit into the memory of the scale, such as
// 2,048 of 4 KiB at Normal. A test can show that there is a bug, but not that there is none.
//
// The idea of a kit that tests implementations by others comes from testing/fstest and, for
// allocators, from Zig's standard library.
package alloctest
