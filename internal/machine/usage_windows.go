package machine

import (
	"time"

	"golang.org/x/sys/windows"
)

// OwnUsage returns the resources that this process has used so far. PeakRSS is 0, because
// GetProcessTimes does not report it.
func OwnUsage() (Usage, error) {
	var created, exited, system, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &system, &user); err != nil {
		return Usage{}, err
	}
	return Usage{User: ticks(user), System: ticks(system)}, nil
}

// ticks converts a Windows duration, which is counted in units of 100 ns.
func ticks(f windows.Filetime) time.Duration {
	return time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) * 100
}
