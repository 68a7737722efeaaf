// Package testsize says how much the tests do. There are three sizes.
//
//   - go test -short is what a user of the library runs first, on a machine that has compiled
//     nothing yet, and for slow builds: the race detector, emulators. It keeps every kind of
//     test, with fewer cases.
//   - go test is the usual size, for a change to a package.
//   - With COPPICE_FULL=1 in the environment, tests also do what needs more: they compile
//     the standard library in other ways, and take the sizes of real programs. With
//     COPPICE_FULL=part, tests of many slow cases take every fourth.
package testsize

import (
	"os"
	"testing"
)

// Variable is the environment variable that asks for the full size, if it is not empty.
const Variable = "COPPICE_FULL"

// Full tells whether the tests are to run in full.
func Full() bool { return os.Getenv(Variable) != "" }

// OneOf skips the case with number i of a test with many slow ones, unless the size asks for it:
// all in full, every fourth in part.
func OneOf(t testing.TB, i int, reason string) {
	t.Helper()
	OnlyInFull(t, reason)
	if os.Getenv(Variable) == "part" && i%4 != 0 {
		t.Skipf("%s; %s=1 runs all", reason, Variable)
	}
}

// OnlyInFull skips a test that is part of the full size only. The reason says what takes
// long.
func OnlyInFull(t testing.TB, reason string) {
	t.Helper()
	if !Full() {
		t.Skipf("%s; %s=1 runs it", reason, Variable)
	}
}
