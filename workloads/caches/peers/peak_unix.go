//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the most memory that a process had, in KiB.
func peak(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) / 1024
	}
	return int64(usage.Maxrss)
}
