package machine

import (
	"time"

	"golang.org/x/sys/windows"
)

// OwnUsage returns what this process has used so far. Windows does not report the peak here, so
// PeakRSS stays 0.
func OwnUsage() (Usage, error) {
	var created, exited, system, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &system, &user); err != nil {
		return Usage{}, err
	}
	return Usage{User: ticks(user), System: ticks(system)}, nil
}

// ticks converts a duration that Windows counts in units of 100 ns to a Duration.
func ticks(f windows.Filetime) time.Duration {
	return time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) * 100
}
