package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// profiles contains the files of the requested profiles, and nil for the others.
type profiles struct{ cpu, mem *os.File }

// startProfiles opens the named files and starts the CPU profile. If that fails, it leaves
// no new files behind and existing ones unchanged.
func startProfiles(cpuName, memName string) (p profiles, err error) {
	defer func() {
		if err != nil {
			discard(p.cpu)
			discard(p.mem)
		}
	}()
	if p.cpu, err = openProfile("-cpuprofile", cpuName); err != nil {
		return p, err
	}
	if p.mem, err = openProfile("-memprofile", memName); err != nil {
		return p, err
	}
	if err := errors.Join(truncate(p.cpu), truncate(p.mem)); err != nil {
		return p, err
	}
	if p.cpu != nil {
		return p, pprof.StartCPUProfile(p.cpu)
	}
	return p, nil
}

// stop writes the profiles and closes the files.
func (p profiles) stop() error {
	var cpuErr, memErr error
	if p.cpu != nil {
		pprof.StopCPUProfile()
		cpuErr = closeProfile(p.cpu, nil)
	}
	if p.mem != nil {
		runtime.GC() // the profile shows the state at the last collection
		memErr = closeProfile(p.mem, pprof.Lookup("allocs").WriteTo(p.mem, 0))
	}
	return errors.Join(cpuErr, memErr)
}

// openProfile opens the named file for writing and does not change its contents.
func openProfile(flagName, name string) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, usagef("%s: %v; name a file in a folder that you can write to", flagName, err)
	}
	return file, nil
}

// truncate empties a regular file. It ignores devices and pipes.
func truncate(file *os.File) error {
	if file == nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return file.Truncate(0)
}

// discard closes the file, and removes it if it is empty.
func discard(file *os.File) {
	if file == nil {
		return
	}
	info, err := file.Stat()
	file.Close()
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		os.Remove(file.Name())
	}
}

// closeProfile closes the file and returns any error from writing it.
func closeProfile(file *os.File, writeErr error) error {
	if err := errors.Join(writeErr, file.Close()); err != nil {
		return fmt.Errorf("profile %s is incomplete: %w", file.Name(), err)
	}
	return nil
}
