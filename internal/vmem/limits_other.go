//go:build !linux

package vmem

// explained returns err unchanged, because this system does not report which limit a call has
// exceeded.
func explained(err error, _ uintptr) error { return err }
