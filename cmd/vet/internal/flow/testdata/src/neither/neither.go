// Package neither has nothing to do with pools.
package neither

func counts() int { return 1 }
