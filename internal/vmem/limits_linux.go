package vmem

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// told is the buffer for the contents of system files. It is a global variable, because the process
// may not have enough memory to allocate a buffer.
var told struct {
	sync.Mutex
	bytes [8 << 10]byte
}

// explained adds to err the system limit that a call for size bytes has exceeded. It returns err
// itself if the system does not report a limit. It reads the list of the process's mappings, which
// takes a few milliseconds, and allocates almost nothing.
func explained(err error, size uintptr) error {
	if !errors.Is(err, unix.ENOMEM) && !errors.Is(err, unix.EAGAIN) {
		return err
	}
	told.Lock()
	defer told.Unlock()
	// A call may need two additional mappings.
	if most := numberIn("/proc/sys/vm/max_map_count", ""); most > 0 {
		if have := linesOf("/proc/self/maps"); have+2 >= most {
			return fmt.Errorf("%w: the process has %d mappings and may have %d; raise vm.max_map_count (sysctl)", err, have, most)
		}
	}
	for _, l := range [...]struct {
		resource           int
		has, name, command string
	}{
		{unix.RLIMIT_AS, "\nVmSize:", "addresses (RLIMIT_AS)", "ulimit -v"},
		{unix.RLIMIT_DATA, "\nVmData:", "private memory (RLIMIT_DATA)", "ulimit -d"},
		{unix.RLIMIT_MEMLOCK, "\nVmLck:", "locked memory (RLIMIT_MEMLOCK)", "ulimit -l"},
	} {
		var limit unix.Rlimit
		has := numberIn("/proc/self/status", l.has) << 10
		if l.resource == unix.RLIMIT_MEMLOCK && has == 0 { // nothing is locked, so nothing will be
			continue
		}
		if unix.Getrlimit(l.resource, &limit) == nil && limit.Cur != unix.RLIM_INFINITY && isMet(limit.Cur, has, uint64(size)) {
			return fmt.Errorf("%w: the process has %d KiB of %s and may have %d; raise the limit (%s)", err, has>>10, l.name, limit.Cur>>10, l.command)
		}
	}
	if numberIn("/proc/sys/vm/overcommit_memory", "") == 2 {
		return fmt.Errorf("%w: the system promises no more memory than it has (vm.overcommit_memory is 2)", err)
	}
	return err
}

// isMet reports whether limit explains why a process could not get more bytes in addition to those
// it has. When the call failed, other threads may have used more memory for a short time, as the Go
// runtime does to align its memory, and may have released it since. Therefore a limit is regarded
// as met even if a sixteenth of it is left.
func isMet(limit, has, more uint64) bool { return has+more > limit-limit/16 }

// numberIn returns the number after a word at the beginning of a file, or 0 if there is none.
func numberIn(file, word string) (n uint64) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	got, _ := unix.Read(fd, told.bytes[:])
	text := told.bytes[:max(got, 0)]
	at := bytes.Index(text, []byte(word))
	if at < 0 {
		return 0
	}
	for _, c := range bytes.TrimLeft(text[at+len(word):], " \t") {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// linesOf returns the number of lines in a file.
func linesOf(file string) (n uint64) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	for {
		got, err := unix.Read(fd, told.bytes[:])
		if err != nil || got <= 0 {
			return n
		}
		n += uint64(bytes.Count(told.bytes[:got], []byte("\n")))
	}
}
