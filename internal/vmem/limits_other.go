//go:build !linux

package vmem

// explained names the limit of the system that a call has met. This system tells none.
func explained(err error, _ uintptr) error { return err }
