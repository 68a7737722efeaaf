// Package drivertest tests drivers: that their operations can be repeated, and that their sums
// depend on the results.
package drivertest

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// Check performs two operations of a program, whose sums must be equal. Then it calls change,
// which must change the result, or the input if Sum works on the input. The sum must then
// differ.
func Check(t *testing.T, p driver.Program, change func()) {
	t.Helper()
	operations, err := p.Load(0)
	if err != nil || operations < 1 {
		t.Fatalf("%d operations, %v", operations, err)
	}
	var sums [3]uint64
	for i := range sums {
		if i < 2 {
			if err := p.Operate(); err != nil {
				t.Fatal(err)
			}
		} else {
			change()
		}
		if sums[i], err = p.Sum(); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two operations have the sums %016x and %016x", sums[0], sums[1])
	}
	if sums[1] == sums[2] {
		t.Error("the sum does not see a change")
	}
}
