// Command touch writes to the free memory of this machine once, and then returns the memory to the
// system.
//
// A hypervisor often provides the memory of a virtual machine only when the memory is first
// written. This first write takes about twenty times as long as the work of the machine's own
// kernel. A measurement attributes this time to whichever program happens to write to the memory
// first. Therefore `make measure` runs touch first. It uses three quarters of the free memory, or
// of the control group's limit if that is less.
//
//	touch [-n]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// piece is the number of bytes that touch requests at a time. share is the percentage of the free
// memory that it writes to.
const (
	piece = 1 << 30
	share = 75
)

func main() {
	look := flag.Bool("n", false, "touch nothing; say how much would be")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: touch [-n]\n\nIt writes to the free memory of this machine once, so that no measured program is the first to use it.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "touch: unexpected argument %q; touch -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		fmt.Fprintf(os.Stderr, "touch: the free memory is unknown: %v; nothing is touched\n", err)
		return
	}
	free, err := available(string(meminfo))
	if err != nil {
		fmt.Fprintln(os.Stderr, "touch:", err)
		os.Exit(1)
	}
	if limit, err := memlimit.FromCgroup(); err == nil {
		free = min(free, limit)
	}
	size := free / 100 * share
	if *look {
		fmt.Printf("%s would be touched\n", humanize.IBytes(size))
		return
	}
	start := time.Now()
	if err := touch(size, piece); err != nil {
		fmt.Fprintln(os.Stderr, "touch:", err)
		os.Exit(1)
	}
	fmt.Printf("%s touched in %.1f s\n", humanize.IBytes(size), time.Since(start).Seconds())
}

// available returns the number of bytes that programs can allocate. meminfo is the contents of
// /proc/meminfo.
func available(meminfo string) (uint64, error) {
	for line := range strings.Lines(meminfo) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/meminfo has no line MemAvailable; Linux 3.14 and newer have one")
}
