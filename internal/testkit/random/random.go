// Package random seeds the random tests. The seed is the same in every run, so that the tests of a
// change do not fail by chance because of an older fault. To search for new faults, run with
// COPPICE_SEED=free, as `make check-all` does: every run then uses a different seed.
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

// Variable is the environment variable with the seed: a number above 0, or "free". Without it the
// seed is fixed.
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

// seedRapid passes the seed to rapid, unless the command line has one.
var seedRapid = sync.OnceFunc(func() {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set(strconv.FormatUint(Seed(), 10)); err != nil {
			panic(err)
		}
	}
})

// Check is rapid.Check with the seed of this package. A failed test prints the seed that reproduces
// it.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	seedRapid()
	rapid.Check(t, property)
}

// New returns a source of random numbers with the seed. A failed test prints it.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	t.Logf("%s=%d", Variable, Seed())
	return rand.New(rand.NewPCG(Seed(), 0))
}
