package vmem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// explained names the limit of the system that a call for so many bytes has met, as far as the system tells. It reads what the process
// has mapped, which takes some milliseconds.
func explained(err error, size uintptr) error {
	if !errors.Is(err, unix.ENOMEM) && !errors.Is(err, unix.EAGAIN) {
		return err
	}
	if most := number("/proc/sys/vm/max_map_count"); most > 0 {
		// A call may need two mappings more than there are.
		if have := lines("/proc/self/maps"); have+2 >= most {
			return fmt.Errorf("%w: the process has %d mappings and may have %d; raise vm.max_map_count (sysctl)", err, have, most)
		}
	}
	for _, l := range []struct {
		resource           int
		has, name, command string
	}{
		{unix.RLIMIT_AS, "VmSize:", "addresses (RLIMIT_AS)", "ulimit -v"},
		{unix.RLIMIT_DATA, "VmData:", "private memory (RLIMIT_DATA)", "ulimit -d"},
		{unix.RLIMIT_MEMLOCK, "VmLck:", "locked memory (RLIMIT_MEMLOCK)", "ulimit -l"},
	} {
		var limit unix.Rlimit
		has := status(l.has)
		if l.resource == unix.RLIMIT_MEMLOCK && has == 0 { // nothing is locked, so nothing will be
			continue
		}
		if unix.Getrlimit(l.resource, &limit) == nil && limit.Cur != unix.RLIM_INFINITY && has+uint64(size) > limit.Cur {
			return fmt.Errorf("%w: the process has %d KiB of %s and may have %d; raise the limit (%s)", err, has>>10, l.name, limit.Cur>>10, l.command)
		}
	}
	if number("/proc/sys/vm/overcommit_memory") == 2 {
		return fmt.Errorf("%w: the system promises no more memory than it has (vm.overcommit_memory is 2)", err)
	}
	return err
}

// number reads a file with a number in it, and returns 0 if there is none.
func number(file string) (n int) {
	text, _ := os.ReadFile(file)
	_, _ = fmt.Sscan(string(text), &n)
	return n
}

// lines counts those of a file.
func lines(file string) (n int) {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for piece := make([]byte, 64<<10); ; {
		got, err := f.Read(piece)
		n += bytes.Count(piece[:got], []byte("\n"))
		if err != nil {
			return n
		}
	}
}

// status returns what the system says that the process has, in bytes, and 0 if it does not.
func status(name string) (size uint64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			_, _ = fmt.Sscan(rest, &size)
			return size << 10
		}
	}
	return 0
}
