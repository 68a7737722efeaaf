package alloctest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A Scale is how large the tests are. What goes wrong at the thousandth value is seen at
// every scale; what goes wrong at the millionth needs a million.
//
// docs/decisions/0010 says why there are three scales and no number of one's own.
//
//	        values in one allocator   and no more than   random programs   allocators released
//	Short                     8,192              2 MiB                 1                     1
//	Normal                  131,072              8 MiB                 5                     4
//	Large                10,000,000            512 MiB               100                    16
//
// Of values so large that fewer fit into those bytes there are fewer, but four at least.
// Of an allocator with Room there are never more.
//
// Short takes some hundredths of a second for one type, Normal a tenth to a third, and Large ten
// seconds to a minute of processor time. The kit itself takes 32 to 48 bytes for each value, and as
// much again for a moment where values move, so Large wants 2 GiB of memory.
type Scale int

// The scales.
const (
	Short  Scale = iota // what Verify takes, and Run under go test -short
	Normal              // what Run takes
	Large               // by hand, or every night: ALLOCTEST_SCALE=large go test
)

// ScaleVariable is the name of the environment variable that sets the scale of Run: short,
// normal or large.
const ScaleVariable = "ALLOCTEST_SCALE"

// sizes is what the tests of one scale have.
type sizes struct {
	name     string
	many     int // values of a crowd
	bytes    int // which are no more than these together
	times    int // quarters of what a test has whose values are all looked at again and again
	programs int // seeds of Program
	releases int // allocators that Freed releases
}

var sizesOf = [...]sizes{
	Short:  {"short", 1 << 13, 1 << 21, 1, 1, 1},
	Normal: {"normal", 1 << 17, 1 << 23, 4, 5, 4},
	Large:  {"large", 10_000_000, 1 << 29, 16, 100, 16},
}

// String returns the name that ScaleVariable takes.
func (s Scale) String() string { return s.sizes().name }

// sizes is that of the nearest scale that there is.
func (s Scale) sizes() sizes { return sizesOf[min(max(s, 0), Scale(len(sizesOf)-1))] }

// scaleOfRun is what Run takes.
func scaleOfRun() (Scale, error) {
	want := os.Getenv(ScaleVariable)
	for s := range sizesOf {
		if strings.EqualFold(want, sizesOf[s].name) {
			return Scale(s), nil
		}
	}
	switch {
	case want != "":
		return 0, fmt.Errorf("alloctest: %s is %q; set it to short, normal or large", ScaleVariable, want)
	case testing.Short():
		return Short, nil
	}
	return Normal, nil
}

// least is how many values a test has at least, however large they are.
const least = 4

// count is n at the scale Normal, fewer or more at the others, and fewer if so many
// values were too large to be looked at again and again.
func (c *trial) count(n int) int {
	n = max(1, n*c.scale.sizes().times/4)
	return min(n, max(least, 1<<19/c.plan.room()))
}

// many is a part of the values of the largest crowd: one of so many parts.
func (c *trial) many(parts int) int {
	s := c.scale.sizes()
	if c.plan.size == 0 {
		s.many /= 16 // they have nothing to tell them apart
	}
	return max(least, min(s.many, s.bytes/c.plan.room())/parts)
}

// fits is n, or how many more values the allocator has room for.
func (c *trial) fits(n int) int {
	if c.a.Room == 0 {
		return n
	}
	return max(0, min(n, c.a.Room-len(c.live)-c.others))
}

// room is the size of a value, and 1 of what takes no room.
func (p *plan) room() int { return int(max(1, p.size)) }
