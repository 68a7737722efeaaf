package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// A part is a bit set of the kinds of work that are done under a condition.
type part uint

const (
	tests part = 1 << iota // all tests, with more programs against the models
	fuzz                   // every fuzz target
	soak                   // all allocators concurrently, from many goroutines
)

var partNames = []string{"tests", "fuzz", "soak"}

func (p part) String() string {
	var names []string
	for i, name := range partNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// parseParts parses a list such as "tests,fuzz".
func parseParts(list string) (p part, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(partNames, name)
		if i < 0 {
			return 0, fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(partNames, ", "))
		}
		p |= 1 << i
	}
	return p, nil
}

// A condition is a way to build and run the tests.
type condition struct {
	name string
	what string // a description, for -list and the record

	flags    []string // flags of go test and go run
	goenv    []string // environment of the go command, such as GOARCH=386
	env      []string // environment of the tests only, such as GOGC=1
	emulator []string // command line of the emulator, which precedes the program's

	parts part     // parts of a full run
	short part     // parts of a short run; make check has separate targets for the rest
	among []string // packages that a short run tests; all if empty
	slow  int      // factor by which a plain run compares more programs with the models
}

// gcAllTheTime makes garbage collections frequent: a collection starts whenever the Go heap has
// grown by 1 %.
const gcAllTheTime = "GOGC=1"

// Packages that a short run tests under a condition, because the condition matters most for them.
var (
	collected  = []string{"slab", "arena", "pool", "inline", "workshop/traps"}
	concurrent = []string{"store", "pool", "workshop/traps"}
	ordered    = []string{"flat", "arena", "store"} // packages that access words as bytes
)

// conditions lists all conditions, in the order in which they run.
var conditions = []condition{
	{name: "plain", what: "as it is", parts: tests | fuzz | soak, short: soak, slow: 1},
	{name: "race", what: "with the race detector, in a checked build; stores are Go memory", flags: []string{"-race"}, parts: tests | fuzz | soak, slow: 10},
	{name: "checked", what: "in a checked build", flags: []string{"-tags=coppice_checks"}, parts: tests | fuzz | soak, slow: 2},
	{name: "checkptr", what: "with the compiler's pointer checks", flags: []string{"-gcflags=all=-d=checkptr=2"}, parts: tests | fuzz | soak, slow: 2},
	{name: "gogc", what: "with a collection all the time", env: []string{gcAllTheTime}, parts: tests | fuzz | soak, slow: 4},
	{name: "checkmark", what: "with a collection all the time, which checks its marking by marking again", env: []string{gcAllTheTime, "GODEBUG=gccheckmark=1"}, parts: tests | fuzz | soak, short: tests, among: collected, slow: 10},
	{name: "clobberfree", what: "with a collection all the time, and what it frees is overwritten", env: []string{gcAllTheTime, "GODEBUG=clobberfree=1"}, parts: tests | fuzz | soak, slow: 4},
	{name: "stoptheworld", what: "with a collection all the time, and the program stands still while it marks", env: []string{gcAllTheTime, "GODEBUG=gcstoptheworld=1"}, parts: tests | fuzz | soak, slow: 4},
	{name: "stopsweep", what: "with many collections, and the program stands still while they mark and sweep", env: []string{"GOGC=10", "GODEBUG=gcstoptheworld=2"}, parts: tests | fuzz | soak, slow: 4},
	{name: "oldgc", what: "with the collector of Go before 1.26, all the time", goenv: []string{"GOEXPERIMENT=nogreenteagc"}, env: []string{gcAllTheTime}, parts: tests | soak, slow: 4},
	{name: "procs1", what: "on one processor", env: []string{"GOMAXPROCS=1"}, parts: tests | fuzz | soak, slow: 1},
	{name: "procs16", what: "as if there were 16 processors", env: []string{"GOMAXPROCS=16"}, parts: tests | fuzz | soak, short: tests, among: concurrent, slow: 2},
	{name: "386", what: "as a 32-bit program; stores are Go memory", goenv: []string{"GOARCH=386"}, parts: tests | fuzz | soak, slow: 2},
	{name: "arm64", what: "on an emulated 64-bit ARM", goenv: []string{"GOARCH=arm64"}, emulator: []string{"qemu-aarch64"}, parts: tests, slow: 2},
	{name: "arm64-64k", what: "on an emulated 64-bit ARM with pages of 64 KiB", goenv: []string{"GOARCH=arm64"}, emulator: []string{"qemu-aarch64", "-p", "65536"}, parts: tests, slow: 2},
	{name: "s390x", what: "on an emulated big-endian machine", goenv: []string{"GOARCH=s390x"}, emulator: []string{"qemu-s390x"}, parts: tests, short: tests, among: ordered, slow: 2},
}

// execFlag returns the -exec flag for go test and go run. With this flag, the environment and the
// emulator of the condition apply only to the tests, not to the go command and the compiler.
func (c *condition) execFlag() []string {
	if len(c.env) == 0 && len(c.emulator) == 0 {
		return nil
	}
	line := append([]string{"env"}, c.env...)
	if len(c.emulator) > 0 {
		line = append(line, quote(child.Variable+"="+strings.Join(c.emulator, " ")))
		line = append(line, c.emulator...)
	}
	return []string{"-exec=" + strings.Join(line, " ")}
}

// quote quotes a string that contains spaces as a single word for the go command.
func quote(text string) string {
	if strings.Contains(text, " ") {
		return "'" + text + "'"
	}
	return text
}

// fewer returns the number of random programs to compare with each model under the condition. A
// slow condition runs fewer of them.
func (c *condition) fewer(checks int) int { return max(1, checks/c.slow) }
