//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal that the terminal sends when it is closed. It returns none if this
// program ignores the signal, as it does under nohup.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
