package vmem

import (
	"math"
	"sync"
)

// injected determines which commits must fail: how many succeed first, and how many fail after
// that. It is for tests of the packages that use package vmem.
var injected struct {
	sync.Mutex
	after, times int
}

// FailCommit makes the n-th commit from now on fail, counted from 0 and over all regions, and every
// later one, until it is called with a negative n.
func FailCommit(n int) {
	injected.Lock()
	defer injected.Unlock()
	injected.after, injected.times = n, math.MaxInt
	if n < 0 {
		injected.times = 0
	}
}

// FailNextCommits makes the next n commits fail, and none after them.
func FailNextCommits(n int) {
	injected.Lock()
	defer injected.Unlock()
	injected.after, injected.times = 0, n
}

// failNext counts one commit and reports whether it must fail.
func failNext() bool {
	injected.Lock()
	defer injected.Unlock()
	switch {
	case injected.times == 0:
		return false
	case injected.after > 0:
		injected.after--
		return false
	default:
		injected.times--
		return true
	}
}
