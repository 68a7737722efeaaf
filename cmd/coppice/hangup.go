//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal that a terminal sends when it is closed, unless the signal is ignored,
// as under nohup.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
