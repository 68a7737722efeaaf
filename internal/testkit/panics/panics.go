// Package panics recovers from expected panics, so that tests can check their messages.
package panics

import "fmt"

// Of calls f and returns the value with which it panics, as a string. It returns "" if f does not
// panic.
func Of(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
