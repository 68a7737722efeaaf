package cache

import "container/list"

// A queue is a list of distinct keys, from newest to oldest.
type queue struct {
	order list.List
	at    map[uint64]*list.Element
}

func newQueue() *queue { return &queue{at: map[uint64]*list.Element{}} }

func (q *queue) len() int { return len(q.at) }

func (q *queue) has(k uint64) bool { return q.at[k] != nil }

func (q *queue) push(k uint64) { q.at[k] = q.order.PushFront(k) }

func (q *queue) remove(k uint64) bool {
	e := q.at[k]
	if e == nil {
		return false
	}
	q.order.Remove(e)
	delete(q.at, k)
	return true
}

func (q *queue) oldest() uint64 { return q.order.Back().Value.(uint64) }

func (q *queue) pop() uint64 {
	k := q.oldest()
	q.remove(k)
	return k
}

// arc is the policy of Megiddo and Modha, ARC: a self-tuning, low overhead replacement cache, FAST
// 2003, figure 4.
type arc struct {
	most, target        int
	once, often         *queue // T1, T2
	goneOnce, goneOften *queue // B1, B2
}

func newARC(most int) *arc {
	return &arc{most: most, once: newQueue(), often: newQueue(), goneOnce: newQueue(), goneOften: newQueue()}
}

func (c *arc) replace(wasOften bool) {
	if n := c.once.len(); n > 0 && (n > c.target || wasOften && n == c.target) {
		c.goneOnce.push(c.once.pop())
	} else {
		c.goneOften.push(c.often.pop())
	}
}

func (c *arc) request(k uint64) bool {
	switch {
	case c.once.remove(k) || c.often.remove(k):
		c.often.push(k)
		return true
	case c.goneOnce.has(k):
		c.target = min(c.most, c.target+max(c.goneOften.len()/c.goneOnce.len(), 1))
		c.replace(false)
		c.goneOnce.remove(k)
		c.often.push(k)
		return false
	case c.goneOften.has(k):
		c.target = max(0, c.target-max(c.goneOnce.len()/c.goneOften.len(), 1))
		c.replace(true)
		c.goneOften.remove(k)
		c.often.push(k)
		return false
	}
	total := c.once.len() + c.often.len() + c.goneOnce.len() + c.goneOften.len()
	switch {
	case c.once.len()+c.goneOnce.len() == c.most && c.once.len() < c.most:
		c.goneOnce.pop()
		c.replace(false)
	case c.once.len()+c.goneOnce.len() == c.most:
		c.once.pop()
	case total >= c.most:
		if total == 2*c.most {
			c.goneOften.pop()
		}
		c.replace(false)
	}
	c.once.push(k)
	return false
}

// tinyLFU is the W-TinyLFU policy of Einziger, Friedman and Manes, TinyLFU: a highly efficient
// cache admission policy, ACM Transactions on Storage 2017. The window holds a hundredth of the
// entries, and four fifths of the rest are protected. Counts are exact up to 15. They are halved
// when their sum reaches ten times the number of entries.
type tinyLFU struct {
	most                        int
	fresh, probation, protected *queue
	counts                      map[uint64]int
	sum                         int
}

func newTinyLFU(most int) *tinyLFU {
	return &tinyLFU{most: most, fresh: newQueue(), probation: newQueue(), protected: newQueue(), counts: map[uint64]int{}}
}

func (c *tinyLFU) count(k uint64) {
	c.counts[k] = min(c.counts[k]+1, 15)
	if c.sum++; c.sum < 10*c.most {
		return
	}
	c.sum /= 2
	for k, n := range c.counts {
		if n /= 2; n == 0 {
			delete(c.counts, k)
		} else {
			c.counts[k] = n
		}
	}
}

func (c *tinyLFU) request(k uint64) bool {
	c.count(k)
	window := max(c.most/100, 1)
	main := c.most - window
	switch {
	case c.fresh.remove(k):
		c.fresh.push(k)
		return true
	case c.protected.remove(k):
		c.protected.push(k)
		return true
	case c.probation.remove(k):
		if c.protected.push(k); c.protected.len() > main*8/10 {
			c.probation.push(c.protected.pop())
		}
		return true
	}
	if c.fresh.push(k); c.fresh.len() <= window {
		return false
	}
	candidate := c.fresh.pop()
	if c.probation.len()+c.protected.len() < main {
		c.probation.push(candidate)
	} else if victim := c.probation.oldest(); c.counts[candidate] > c.counts[victim] {
		c.probation.pop()
		c.probation.push(candidate)
	}
	return false
}
