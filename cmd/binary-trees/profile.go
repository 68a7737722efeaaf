package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// startProfiles opens the files that are named and starts the CPU profile. The
// function it returns writes what there is to write and closes them.
func startProfiles(cpuName, memName string) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var all error
		for _, s := range stops {
			all = errors.Join(all, s())
		}
		return all
	}
	if memName != "" {
		file, err := createProfile("-memprofile", memName)
		if err != nil {
			return nil, err
		}
		stops = append(stops, func() error {
			runtime.GC() // the profile is as of the last collection
			return closing(file, pprof.Lookup("allocs").WriteTo(file, 0))
		})
	}
	if cpuName != "" {
		file, err := createProfile("-cpuprofile", cpuName)
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return nil, errors.Join(err, file.Close(), stop())
		}
		stops = append(stops, func() error {
			pprof.StopCPUProfile()
			return closing(file, nil)
		})
	}
	return stop, nil
}

func createProfile(flagName, name string) (*os.File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, usagef("%s: %v; name a file in a folder that you can write to", flagName, err)
	}
	return file, nil
}

// closing closes the file and joins what went wrong before and then.
func closing(file *os.File, err error) error {
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("profile %s is incomplete: %w", file.Name(), err)
	}
	return nil
}
