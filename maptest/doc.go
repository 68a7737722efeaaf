// Package maptest tests maps: containers of keys with values. It checks the promises that users of
// a map rely on, and reports a broken promise with the calls that led to it.
//
// Write a function that opens a new map and returns a Map that describes it, and pass that function
// to Run. Functions of the Map that are nil are not tested, and the log reports this:
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
// Test a map that supports many types with several of them: numbers, strings, arrays of odd sizes,
// structs with padding, and values of size zero.
//
// # What is tested
//
// Each [Promise] is a subtest. [Verify] tests one promise and returns an error, for example to
// check that the test fails with a faulty map. Keys are generated from numbers, a different key for
// each number: numbers close together, numbers that differ only in high bits, the empty string,
// strings of up to 40 bytes and, occasionally, of thousands of bytes. Random choices come from a
// fixed seed, which the message of a failure contains.
//
// A map whose All yields keys in order sets Compare. A cache, which may drop entries, sets Forgets.
// Keys may then be missing, but the values that are found must be correct.
//
// # What is not tested
//
// The kit does not test speed, memory, concurrency, or the behavior after Close. It uses one
// goroutine and a few thousand entries. A test can show that there is a bug, but not that there is
// none.
//
// The idea of a kit that tests implementations by others comes from testing/fstest; package
// alloctest is the kit for allocators.
package maptest
