package random

import (
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/internal/hash"
)

// Hashes runs the tests of a package whose containers use random hash seeds. It derives these seeds
// from the seed of this package, so that a test has the same hash collisions in every run.
func Hashes(m *testing.M) {
	var seeds atomic.Uint64
	seeds.Store(Seed())
	hash.SeedsFrom(func() uint64 {
		const step = 0x9e3779b97f4a7c15 // of splitmix64
		return secrets.Word(seeds.Add(step))
	})
	m.Run()
}

var secrets = hash.SecretsOf(fixed)
