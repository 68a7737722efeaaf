//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup returns the signal that a terminal sends when it goes away, unless it is ignored, as nohup
// does.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
