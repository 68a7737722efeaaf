package vmem

import (
	"math"
	"sync"
)

// injected determines which commits fail in tests of packages that use package vmem. The next
// injected.after commits succeed, and injected.times commits fail after that.
var injected struct {
	sync.Mutex
	after, times int
}

// FailCommit makes the n-th commit from now on and all later commits fail, until FailCommit is
// called with a negative n. Commits are counted from 0, over all regions.
func FailCommit(n int) {
	injected.Lock()
	defer injected.Unlock()
	injected.after, injected.times = n, math.MaxInt
	if n < 0 {
		injected.times = 0
	}
}

// FailNextCommits makes the next n commits fail. Later commits succeed.
func FailNextCommits(n int) {
	injected.Lock()
	defer injected.Unlock()
	injected.after, injected.times = 0, n
}

// failNext counts a commit and reports whether the commit must fail.
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
