package main

import "sync"

// locked is Go's map, protected by one lock that readers share.
func locked[K comparable](told int) index[K] {
	var lock sync.RWMutex
	m := make(map[K]uint64, told)
	return index[K]{
		told: told > 0,
		set: func(k K, v uint64) {
			lock.Lock()
			m[k] = v
			lock.Unlock()
		},
		get: func(k K) (uint64, bool) {
			lock.RLock()
			v, ok := m[k]
			lock.RUnlock()
			return v, ok
		},
		remove: func(k K) {
			lock.Lock()
			delete(m, k)
			lock.Unlock()
		},
		len: func() int { return len(m) }, close: nothing,
		each: func(f func(K, uint64) bool) {
			for k, v := range m {
				if !f(k, v) {
					return
				}
			}
		},
	}
}

// syncmap is the concurrent map of the standard library. It stores keys and values as interfaces,
// and cannot be presized.
func syncmap[K comparable](int) index[K] {
	m := new(sync.Map)
	each := func(f func(K, uint64) bool) {
		m.Range(func(k, v any) bool { return f(k.(K), v.(uint64)) })
	}
	return index[K]{
		set: func(k K, v uint64) { m.Store(k, v) },
		get: func(k K) (uint64, bool) {
			v, ok := m.Load(k)
			if !ok {
				return 0, false
			}
			return v.(uint64), true
		},
		remove: func(k K) { m.Delete(k) },
		len: func() (n int) {
			each(func(K, uint64) bool { n++; return true })
			return n
		},
		each: each, close: nothing,
	}
}
