// Package putting puts something into a sync.Pool in some of its functions.
package putting

import "sync"

var pool sync.Pool

func puts() { pool.Put(1) }

func gets() any { return pool.Get() }

func putsLater() func() {
	return func() { pool.Put(2) }
}

func counts() int { return 1 }
