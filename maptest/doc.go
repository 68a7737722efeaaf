// Package maptest tests maps, that is, containers that associate values with keys. It checks the
// promises on which users of a map rely. If a promise is broken, it reports the calls that led to
// the failure.
//
// To use it, write a function that creates a new map and returns a Map that describes it. Pass that
// function to Run. Functions that are nil in the Map are not tested, which the log reports:
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
// If a map supports many types, test it with several of them: numbers, strings, arrays of odd
// sizes, structs with padding, and values of size zero.
//
// # What is tested
//
// Each [Promise] is tested by a subtest. [Verify] tests one promise and returns an error, so you
// can use it to check that a faulty map is detected. Keys are generated from numbers; different
// numbers yield different keys. They include similar numbers, numbers that differ only in high
// bits, the empty string, strings of up to 40 bytes and, occasionally, of thousands of bytes.
// Random choices depend on a fixed seed, which failure messages contain.
//
// For a map whose All yields keys in order, set Compare. For a cache, which may drop entries at any
// time, set Forgets. Keys may then be missing, but the values that are found must be correct.
//
// # What is not tested
//
// The kit does not test speed, memory use, concurrency, or the behavior after Close. It uses one
// goroutine and a few thousand entries. Tests can show the presence of bugs, but not their absence.
//
// The idea of a kit that tests implementations of an interface comes from testing/fstest. Package
// alloctest is the corresponding kit for allocators.
package maptest
