//go:build !linux

package vmem

// explained names the system limit that a call has exceeded. This system reports none.
func explained(err error, _ uintptr) error { return err }
