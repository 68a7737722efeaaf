// Package testsize says how much the tests do. There are three sizes.
//
//   - go test -short is for slow builds: the race detector, emulators.
//   - go test is what a user of the library runs first, on a machine that has compiled
//     nothing yet. It takes few minutes.
//   - With COPPICE_FULL=1 in the environment, tests also do what needs more: they compile
//     the standard library in other ways, and take the sizes of real programs.
package testsize

import (
	"os"
	"testing"
)

// Variable is the environment variable that asks for the full size, if it is not empty.
const Variable = "COPPICE_FULL"

// Full tells whether the tests are to run in full.
func Full() bool { return os.Getenv(Variable) != "" }

// OnlyInFull skips a test that is part of the full size only. The reason says what takes
// long.
func OnlyInFull(t testing.TB, reason string) {
	t.Helper()
	if !Full() {
		t.Skipf("%s; %s=1 runs it", reason, Variable)
	}
}
