package arena_test

import "unsafe"

// same tells whether two strings are in the same place.
func same(s, t string) bool {
	// Safety: the addresses are compared only.
	return unsafe.StringData(s) == unsafe.StringData(t)
}
