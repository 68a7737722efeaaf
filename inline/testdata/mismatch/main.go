// Command mismatch does not compile: 64 bytes are no room for pointers.
package main

import "github.com/coppice-go/coppice/inline"

func main() {
	var v inline.Vec[*int, [64]byte]
	println(v.Len())
}
