// Package maptest tests maps: containers of keys with values. It checks the promises that users of
// a map rely on, and says which is broken, and after which calls.
//
// Write a function that opens a new map and describes it by its functions, and pass it to Run. A
// function that is nil is not tested, and the log says so:
//
//	func TestConformance(t *testing.T) {
//		maptest.Run(t, open[uint64, uint32])
//		maptest.Run(t, open[string, [3]byte])
//	}
//
//	func open[K comparable, V any]() maptest.Map[K, V] {
//		m := mine.New[K, V]()
//		return maptest.Map[K, V]{Set: m.Set, Get: m.Get, Delete: m.Delete, Len: m.Len, All: m.All, Close: m.Close}
//	}
//
// A map that handles many types is worth running with several: numbers, strings, arrays of odd
// sizes, structs with padding, and values of no size.
//
// # What is tested
//
// Each [Promise] is a subtest of its own. [Verify] tests one and returns an error, for those who
// want to see a test fail on a map that is wrong on purpose. Keys are made from numbers, each from
// another one: numbers close together, numbers that differ in high bits only, the empty string and
// strings of all lengths up to some thousand bytes. Random choices come from a fixed seed, which
// the message of a failure names.
//
// A map whose All yields keys in order says so in Compare. A cache, which may forget, says so in
// Forgets: then a key may be missing, and what is found must be right.
//
// # What is not
//
// The kit does not test speed, memory, goroutines, or what happens after Close. It uses one
// goroutine and some thousand entries. A test can show that there is a bug, and not that there is
// none.
//
// The idea of a kit that tests what others write is that of testing/fstest; package alloctest is
// the one for allocators.
package maptest
