// Package panics catches the panics that tests expect.
package panics

import "fmt"

// Of returns what f panics with, or "" if it does not.
func Of(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
