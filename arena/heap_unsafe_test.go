package arena_test

import "unsafe"

// same reports whether s and t have the same address.
func same(s, t string) bool {
	// Safety: the addresses are only compared.
	return unsafe.StringData(s) == unsafe.StringData(t)
}

// long returns a string that claims to have n bytes. Callers may use only its length.
func long(n int) (s string) {
	// Safety: the first byte of the string exists, and the others are never read.
	*(*struct {
		start *byte
		bytes int
	})(unsafe.Pointer(&s)) = struct {
		start *byte
		bytes int
	}{new(byte), n}
	return s
}
