//go:build !linux

package vmem

// explained returns err unchanged: this system does not report the limit that a call has exceeded.
func explained(err error, _ uintptr) error { return err }
