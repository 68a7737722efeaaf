//go:build !unix

package main

import "errors"

// touch returns an error, because the command needs /proc/meminfo, which only Linux has.
func touch(_, _ uint64) error { return errors.New("this system is not supported") }
