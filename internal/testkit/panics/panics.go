// Package panics catches panics that tests expect, so that the tests can check the messages.
package panics

import "fmt"

// Of returns the panic value of f as a string, or "" if f does not panic.
func Of(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
