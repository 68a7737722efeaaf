// Package alloctest tests allocators. It checks the promises that users of allocators rely on, and
// reports a broken promise with the calls that led to it.
//
// Write a function that opens a new allocator and returns an Allocator that describes it, and pass
// that function to Run. Functions of the Allocator that are nil are not tested, and the log says
// so:
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
// If an allocator supports many types, test it with several of them: types of one byte, of an odd
// size, of size zero, larger than a chunk, and with pointers. [Node] covers the usual problems.
//
// # What is tested
//
// Each [Promise] is tested in its own subtest. [Verify] tests one promise and returns an error. Use
// it, for example, to check that the test detects a faulty allocator.
//
// The kit fills every value with a pattern that depends on the value's number, and checks all
// values repeatedly. It keeps weak pointers to the targets of the values' pointers, and therefore
// detects if the collector frees a target too early or too late. It keeps values alive as a user's
// program does. Random choices come from a fixed seed. A failure message contains the seed, so that
// the failure can be reproduced.
//
// # How much is tested
//
// A [Scale] determines how many values one allocator handles: 8,192 at Short, 131,072 at Normal,
// ten million at Large, or as many as fit into a limited amount of memory. Run uses Normal, and
// Short under go test -short; Verify uses Short. To find a fault that occurs only at the millionth
// value, run at Large, manually or every night:
//
//	ALLOCTEST_SCALE=large go test -run TestConformance -timeout 1h
//
// If the allocator has room for only a fixed number of values, set Room.
//
// Also run the tests with -race, without which concurrent use of one value may go undetected, and
// once with GOGC=1 GODEBUG=gccheckmark=1.
//
// # Memory after Release
//
// [Freed] measures the Go heap after Release, while the allocator is still reachable, and again
// after a second Release. An allocator may keep up to 64 KiB. Memory outside the Go heap is
// included only if OffHeap reports it; the kit trusts that value. Goroutines that allocate at the
// same time disturb the measurement, so do not call Run in a parallel test.
//
// # What is not tested
//
// The kit does not test speed, other promises of an allocator, or the memory of an allocator
// without Release. It tests large values in small numbers: as many as fit into the memory limit of
// the scale, such as 2,048 of 4 KiB at Normal. A test can show that there is a bug, but not that
// there is none.
//
// The idea of a kit that tests other people's implementations comes from testing/fstest and, for
// allocators, from Zig's standard library.
package alloctest
