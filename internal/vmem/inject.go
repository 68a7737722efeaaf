package vmem

import "sync/atomic"

// commitsLeft counts down to an injected failure; below zero there is none.
var commitsLeft atomic.Int64

func init() { commitsLeft.Store(-1) }

// FailCommit makes the n-th commit from now on fail, counted from 0 and over all
// regions, and every later one, until it is called with a negative n. It is for tests
// of what stands on this package.
func FailCommit(n int) { commitsLeft.Store(max(-1, int64(n))) }

// FailOneCommit makes the next commit fail, and none after it.
func FailOneCommit() { commitsLeft.Store(failOne) }

// failOne stands for one failure, and then none.
const failOne = -2

// failNext counts one commit and tells whether it must fail.
func failNext() bool {
	switch left := commitsLeft.Load(); {
	case left == failOne:
		commitsLeft.Store(-1)
		return true
	case left < 0:
		return false
	case left == 0:
		return true
	default:
		commitsLeft.Add(-1)
		return false
	}
}
