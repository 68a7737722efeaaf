package alloctest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A Scale determines how large the tests are. A fault that occurs at the thousandth value is found
// at every scale; a fault that occurs at the millionth value is found only with a million values.
//
// docs/decisions/0010 explains why there are three scales and not an arbitrary number.
//
//	        values in one allocator   and no more than   random programs   allocators released
//	Short                     8,192              2 MiB                 1                     1
//	Normal                  131,072              8 MiB                 5                     4
//	Large                10,000,000            512 MiB               100                    16
//
// If the byte limit in the table is too small for the number of values, a test uses fewer values,
// but at least four. A test never allocates more values than the Room of an allocator.
//
// Short takes a few hundredths of a second for one type, Normal a tenth to a third, and Large ten
// seconds to a minute of CPU time. The kit itself uses 32 to 48 bytes for each value, and
// temporarily twice as much if values move, so Large needs 2 GiB of memory.
type Scale int

// These are the scales, from the fastest to the most thorough.
const (
	Short  Scale = iota // the scale of Verify, and of Run under go test -short
	Normal              // the scale of Run
	Large               // for manual or nightly runs: ALLOCTEST_SCALE=large go test
)

// ScaleVariable is the name of the environment variable that sets the scale of Run: short, normal
// or large.
const ScaleVariable = "ALLOCTEST_SCALE"

// sizes holds the parameters of one scale.
type sizes struct {
	name     string
	many     int // maximum number of values of a crowd
	bytes    int // maximum total size of these values, in bytes
	times    int // scale factor, in quarters, for tests that check all values repeatedly
	programs int // number of seeds for Program
	releases int // number of allocators that the test of Freed releases
}

var sizesOf = [...]sizes{
	Short:  {"short", 1 << 13, 1 << 21, 1, 1, 1},
	Normal: {"normal", 1 << 17, 1 << 23, 4, 5, 4},
	Large:  {"large", 10_000_000, 1 << 29, 16, 100, 16},
}

// String returns the name of the scale, which is also its value in ScaleVariable.
func (s Scale) String() string { return s.sizes().name }

// sizes returns the parameters of the scale. For a scale below or above the valid scales, it
// returns the parameters of Short or Large.
func (s Scale) sizes() sizes { return sizesOf[min(max(s, 0), Scale(len(sizesOf)-1))] }

// scaleOfRun returns the scale at which Run tests.
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

// least is the minimum number of values in a test, even if they are large.
const least = 4

// count adapts n to the scale. It returns n at Normal, and fewer or more at the other scales. It
// also returns fewer if n values are too large to be checked repeatedly.
func (c *trial) count(n int) int {
	n = max(1, n*c.scale.sizes().times/4)
	return min(n, max(least, 1<<19/c.plan.room()))
}

// many returns the number of values in the largest crowd, divided by parts.
func (c *trial) many(parts int) int {
	s := c.scale.sizes()
	if c.plan.size == 0 {
		s.many /= 16 // zero-size values cannot be distinguished
	}
	return max(least, min(s.many, s.bytes/c.plan.room())/parts)
}

// fits returns n or, if that is less, the number of further values for which the allocator has
// room.
func (c *trial) fits(n int) int {
	if c.a.Room == 0 {
		return n
	}
	return max(0, min(n, c.a.Room-len(c.live)-c.others))
}

// room returns the size of a value, or 1 if the size is zero.
func (p *plan) room() int { return int(max(1, p.size)) }
