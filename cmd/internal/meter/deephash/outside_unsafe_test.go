package deephash

import "unsafe"

// An outside has a field of every type that the hash ignores.
type outside struct {
	f func()
	c chan int
	p unsafe.Pointer
	u uintptr
}

// outsideOf returns an outside with all fields set.
//
// Safety: the field p points to an int, and is at most compared.
func outsideOf(n *int) outside {
	return outside{func() {}, make(chan int), unsafe.Pointer(n), 3}
}
