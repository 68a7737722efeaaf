// Package panics catches the panics that tests expect.
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
