package cache

import "fmt"

// A ComputeOp is the operation that the function passed to Compute requests.
type ComputeOp int

// The operations that the function passed to Compute can request, as in package hashmap.
const (
	CancelOp ComputeOp = iota // leave the entry unchanged
	UpdateOp                  // store the value under the key, as Set does
	DeleteOp                  // delete the key
)

// Compute calls f with a copy of the value of k and true if the key is present, otherwise with the
// zero value and false, and applies the operation that f returns. It returns the resulting value,
// and whether the key is present. After an UpdateOp for which there is no room, the key is not
// present.
//
// Compute holds the lock of the key's shard while it calls f. Other calls that read or change keys
// of that shard wait. f must not use the Cache, because this could deadlock. If f panics, Compute
// changes nothing and releases the lock. For a slow computation, use GetOrLoad.
func (c *Cache[K, V]) Compute(k K, f func(oldValue V, found bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	const where = "cache.Cache.Compute"
	s, h := c.of(where, &k)
	c.loads.Load().forget(&k)
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	i, at, ok := c.find(s, h, &k)
	late := ok && s.late(at)
	if ok = ok && !late; ok {
		actual = c.load(s, at)
	}
	next, op := f(actual, ok)
	switch op {
	case CancelOp:
		return actual, ok
	case UpdateOp:
		p := piece{key: bytesOf(&k, c.form.keyText), value: bytesOf(&next, c.form.valueText)}
		c.form.live(&p, c.ttl)
		err := c.put(where, s, h, &k, &p)
		if _, _, ok := c.find(s, h, &k); err == nil && ok {
			return next, true
		}
	case DeleteOp:
		if ok || late {
			c.takeOut(s, i, at)
		}
	default:
		panic(fmt.Sprintf("%s: there is no ComputeOp %d", where, op))
	}
	var zero V
	return zero, false
}
