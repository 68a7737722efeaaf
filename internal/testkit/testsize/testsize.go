// Package testsize determines how much work the tests do. There are three sizes.
//
//   - go test -short is for users who run the tests for the first time, on a machine that has not
//     compiled anything yet, and for slow builds: the race detector, emulators. It runs every kind
//     of test, with fewer cases.
//   - go test is the default size, for a change to a package.
//   - With COPPICE_FULL=1 in the environment, tests also do work that takes longer: they compile
//     the standard library in other ways, and use the sizes of real programs. With
//     COPPICE_FULL=part, tests with many slow cases run every fourth of them.
package testsize

import (
	"os"
	"testing"
)

// Variable is the name of the environment variable that selects the full size if it is not empty.
const Variable = "COPPICE_FULL"

// Full reports whether the tests run at full size.
func Full() bool { return os.Getenv(Variable) != "" }

// OneOf skips case i of a test with many slow cases, unless it is selected. All cases are selected
// at full size, and every fourth case with COPPICE_FULL=part.
func OneOf(t testing.TB, i int, reason string) {
	t.Helper()
	OnlyInFull(t, reason)
	if os.Getenv(Variable) == "part" && i%4 != 0 {
		t.Skipf("%s; %s=1 runs all", reason, Variable)
	}
}

// OnlyInFull skips a test unless it runs at full size. reason explains why the test takes long.
func OnlyInFull(t testing.TB, reason string) {
	t.Helper()
	if !Full() {
		t.Skipf("%s; %s=1 runs it", reason, Variable)
	}
}
