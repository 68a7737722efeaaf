package keeps

// A solver propagates places from node to node. Its queue contains the places that are not
// propagated yet.
type solver struct {
	queue []pending
	steps int
}

type pending struct {
	n *node
	p *place
}

// add adds a place to a node.
func (s *solver) add(n *node, p *place) {
	if n == nil || n.has[p] {
		return
	}
	if n.has == nil {
		n.has = map[*place]bool{}
	}
	n.has[p] = true
	s.queue = append(s.queue, pending{n, p})
}

// edge records that all places of one node also belong to a second node, including the places that
// are added later.
func (s *solver) edge(from, to *node) {
	if from == nil || to == nil || from == to || from.known[to] {
		return
	}
	if from.known == nil {
		from.known = map[*node]bool{}
	}
	from.known[to] = true
	from.to = append(from.to, to)
	for _, p := range from.done {
		s.add(to, p)
	}
}

// each calls a function once for each place that a node contains now or will contain later.
func (s *solver) each(n *node, f func(*place)) {
	if n == nil {
		return
	}
	n.when = append(n.when, f)
	for _, p := range n.done[:len(n.done):len(n.done)] {
		f(p)
	}
}

// solve propagates places until nothing changes. It reports whether the number of steps remained
// within the limit.
func (s *solver) solve(limit int) bool {
	for len(s.queue) > 0 {
		last := len(s.queue) - 1
		next := s.queue[last]
		s.queue = s.queue[:last]
		if s.steps++; s.steps > limit {
			return false
		}
		next.n.done = append(next.n.done, next.p)
		for _, to := range next.n.to[:len(next.n.to):len(next.n.to)] {
			s.add(to, next.p)
		}
		for _, f := range next.n.when[:len(next.n.when):len(next.n.when)] {
			f(next.p)
		}
	}
	return true
}

// mostSteps limits the time of the analysis to about ten seconds. If a search exceeds the limit,
// the analysis assumes that all memory may be kept.
const mostSteps = 50_000_000
