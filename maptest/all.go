package maptest

import "fmt"

func (t *trial) allYieldsEach() error {
	m := t.empty()
	for i := range t.count {
		if i&(i-1) == 0 || i%(t.count/4+1) == 0 {
			if err := m.checkAll(); err != nil {
				return err
			}
		}
		m.set(i, i)
	}
	if err := m.checkAll(); err != nil {
		return err
	}
	if m.Delete != nil {
		for i := 0; i < t.count; i += 2 {
			if err := m.remove(i); err != nil {
				return err
			}
		}
	}
	return m.checkAll()
}

func (t *trial) allStops() error {
	m := t.filled(t.count)
	for _, want := range []int{1, 2, min(t.count, 1000)} {
		got := 0
		for range m.All() { // a yield after false panics
			if got++; got >= want {
				break
			}
		}
		if got != min(want, len(m.model)) && !m.Forgets {
			return fmt.Errorf("a loop that was to end after %d keys saw %d", want, got)
		}
	}
	m = t.filled(min(t.count, 20))
	all := m.All()
	pairs := 0
	for range all {
		for range all {
			pairs++
		}
	}
	if want := len(m.model) * len(m.model); pairs != want && !m.Forgets {
		return fmt.Errorf("two loops, one in the other, see %d pairs, want %d", pairs, want)
	}
	return nil
}

func (t *trial) allIsOrdered() error {
	m := t.empty()
	for n, i := range random().Perm(t.count) {
		m.set(i, i)
		if n&(n-1) != 0 && n != t.count-1 {
			continue
		}
		if err := m.ordered(); err != nil {
			return err
		}
	}
	if m.Delete != nil {
		for _, i := range random().Perm(t.count)[:t.count/2] {
			if err := m.remove(i); err != nil {
				return err
			}
		}
	}
	return m.ordered()
}

func (m *tested) ordered() error {
	var before any
	n := 0
	for k := range m.All() {
		if n > 0 && m.Compare(before, k) >= 0 {
			return broken("All yields %.60v, and %.60v after it", before, k)
		}
		before = k
		n++
	}
	return m.checkAll()
}

// allAllowsChanges tests that a loop over All may change the map. The loop keeps the first half of
// the keys, setting some of them to new values. It deletes the other keys and adds new ones.
func (t *trial) allAllowsChanges() error {
	for n := 1; n <= t.count/2; n = 3*n + 1 {
		m := t.filled(n)
		stay := map[any]bool{}
		for i := range n / 2 {
			stay[t.key(i)] = true
		}
		r := random()
		seen := map[any]int{}
		steps := 0
		for k, v := range m.All() {
			want, there := m.model[k]
			switch {
			case !there:
				return broken("All yields %.60v, which was deleted in the loop", k)
			case !m.trial.equal(v, want):
				return broken("All yields %.60v with %.60v, want %.60v", k, v, want)
			}
			if seen[k]++; stay[k] && seen[k] > 1 {
				return broken("All yields %.60v twice", k)
			}
			if steps++; steps > 4*t.count+100 {
				return fmt.Errorf("the loop has yielded %d keys, but the map never has more than %d", steps, t.count)
			}
			if i := n/2 + r.IntN(n-n/2); r.IntN(2) == 0 {
				if err := m.remove(i); err != nil {
					return err
				}
			}
			m.set(r.IntN(n/2+1), r.IntN(1000))
			if n+steps < t.count {
				m.set(n+steps, steps)
			}
		}
		for k := range stay {
			if seen[k] != 1 && !m.Forgets {
				return broken("All does not yield %.60v, which was there all the time", k)
			}
		}
		if err := m.check(t.count); err != nil {
			return err
		}
	}
	return nil
}

// keysStay tests that keys remain valid after All has yielded them. It keeps the keys and then
// changes the map. This detects keys that share memory with the map, such as strings that were not
// copied.
func (t *trial) keysStay() error {
	m := t.filled(t.count / 2)
	type entry struct{ k, v any }
	var kept []entry
	for k, v := range m.All() {
		kept = append(kept, entry{k, v})
	}
	want := m.model
	if m.Delete != nil {
		m.model = map[any]any{}
		for i := range t.count / 2 {
			t.note("Delete key", i, -1)
			m.Delete(t.key(i))
		}
	}
	if m.Clear != nil {
		m.Clear()
	}
	for i := t.count / 2; i < t.count; i++ {
		m.Set(t.key(i), t.value(i+1))
	}
	for _, e := range kept {
		if v, ok := want[e.k]; !ok || !m.trial.equal(v, e.v) {
			return fmt.Errorf("a key that All yielded has become %.60v, with %.60v", e.k, e.v)
		}
	}
	return nil
}
