// Package random seeds the random tests. By default the seed is the same in every run, so that the
// tests of a change do not fail because of an old bug that they happen to find. To search for new
// bugs, set COPPICE_SEED=free, as `make check-all` does. Every run then uses a different seed.
package random

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Variable is the name of the environment variable that contains the seed: a number greater than 0,
// or "free" for a random seed. If it is not set, the seed is a constant.
const Variable = "COPPICE_SEED"

const fixed = 1

// Seed returns the seed of this process.
var Seed = sync.OnceValue(func() uint64 { return parse(os.Getenv(Variable)) })

func parse(value string) uint64 {
	if value == "" {
		return fixed
	}
	if value == "free" {
		return max(1, rand.Uint64()) // rapid treats 0 as no seed
	}
	seed, err := strconv.ParseUint(value, 10, 64)
	if err != nil || seed == 0 {
		panic("random: invalid " + Variable + "=" + value + `: must be a number above 0, or "free"`)
	}
	return seed
}

// seedRapid passes the seed to rapid, unless a seed is set on the command line.
var seedRapid = sync.OnceFunc(func() {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set(strconv.FormatUint(Seed(), 10)); err != nil {
			panic(err)
		}
	}
})

// Check is like rapid.Check, but uses the seed of this package. If the test fails, it prints the
// seed, with which the failure can be reproduced.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	seedRapid()
	rapid.Check(t, property)
}

// New returns a random number generator with the seed of this package. If the test fails, the seed
// is printed.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	t.Logf("%s=%d", Variable, Seed())
	return rand.New(rand.NewPCG(Seed(), 0))
}
