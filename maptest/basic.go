package maptest

import (
	"errors"
	"fmt"
)

func (t *trial) setIsFound() error {
	m := t.empty()
	if err := m.check(min(t.count, 100)); err != nil {
		return fmt.Errorf("in an empty map: %w", err)
	}
	for i := range t.count {
		m.set(i, i)
		if err := m.look(i); err != nil {
			return err
		}
		if i&(i-1) == 0 { // at 0, 1, 2, 4, 8 ...
			if err := m.check(2 * i); err != nil {
				return err
			}
		}
	}
	return m.check(2 * t.count)
}

func (t *trial) setReplaces() error {
	m := t.filled(t.count)
	for i := range t.count {
		m.set(i, i+t.count)
		m.set(i, i+1)
		if err := m.look(i); err != nil {
			return err
		}
	}
	return m.check(2 * t.count)
}

func (t *trial) lenCounts() error {
	m := t.empty()
	for i := range t.count {
		for range 2 {
			m.set(i, i)
			if got := m.Len(); got != i+1 && !m.Forgets || got > i+1 {
				return broken("Len is %d after %d keys were set", got, i+1)
			}
		}
	}
	if m.Delete == nil {
		return nil
	}
	for i := range t.count {
		for range 2 {
			m.remove(i)
			if got, want := m.Len(), t.count-i-1; got != want && !m.Forgets || got > want {
				return broken("Len is %d, want %d, after %d keys were deleted", got, want, i+1)
			}
		}
	}
	return nil
}

// remove deletes the i-th key and checks the result of Delete.
func (m *tested) remove(i int) error {
	m.trial.note("Delete key", i, -1)
	k := m.trial.key(i)
	_, there := m.model[k]
	delete(m.model, k)
	if got := m.Delete(k); got != there && (got || !m.Forgets) {
		return broken("Delete of key %d (%.60v) returns %t, want %t", i, k, got, there)
	}
	return nil
}

func (t *trial) deleteTakesOne() error {
	m := t.filled(t.count)
	for n, i := range random().Perm(2 * t.count) { // half of them were never present
		if err := m.remove(i); err != nil {
			return err
		}
		if err := m.look(i); err != nil {
			return err
		}
		if n&(n-1) == 0 {
			if err := m.check(2 * t.count); err != nil {
				return err
			}
		}
	}
	return m.check(2 * t.count)
}

func (t *trial) deletedComeAgain() error {
	m := t.filled(t.count)
	half := t.count / 2
	for round := range 20 {
		for i := range half {
			if err := m.remove(i); err != nil {
				return err
			}
		}
		if err := m.check(min(t.count, 500)); err != nil {
			return err
		}
		for i := range half {
			m.set(i, i+round)
		}
	}
	return m.check(2 * t.count)
}

func (t *trial) getOrSetSetsOnce() error {
	m := t.empty()
	for i := range t.count {
		for v := range 2 {
			k, value := t.key(i), t.value(i+v)
			t.note("GetOrSet key", i, i+v)
			want, there := m.model[k]
			got, was := m.GetOrSet(k, value)
			if !there || !was && m.Forgets {
				want, m.model[k] = value, value
			}
			if was != there && !m.Forgets || was && !there {
				return broken("GetOrSet of key %d (%.60v) returns %t, want %t", i, k, was, there)
			}
			if !t.equal(got, want) {
				return broken("GetOrSet of key %d (%.60v) returns %.60v, want %.60v", i, k, got, want)
			}
		}
	}
	return m.check(2 * t.count)
}

func (t *trial) resetTakesAll() error {
	m := t.filled(t.count)
	for round := range 3 {
		m.Clear()
		clear(m.model)
		t.note("Clear in round", round, -1)
		if err := m.check(2 * t.count); err != nil {
			return err
		}
		for i := round; i < t.count>>round; i++ {
			m.set(i, i+round)
		}
		if err := m.check(2 * t.count); err != nil {
			return err
		}
	}
	return nil
}

// copied wraps from as a tested map. from is a copy of m, created by Clone or Reopen, so its
// expected contents are the same.
func (m *tested) copied(from anyMap) *tested {
	other := &tested{m.trial.take(from), m.trial, make(map[any]any, len(m.model))}
	for k, v := range m.model {
		other.model[k] = v
	}
	return other
}

func (t *trial) cloneIsApart() error {
	return t.copyIsApart(func(m *tested) (anyMap, error) { return m.Clone() })
}

func (t *trial) reopenKeeps() error {
	return t.copyIsApart(func(m *tested) (anyMap, error) { return m.Reopen() })
}

// copyIsApart tests that a map and its copy are independent. It copies maps of several sizes,
// changes both the original and the copy, and then copies the copy.
func (t *trial) copyIsApart(copy func(*tested) (anyMap, error)) error {
	for _, n := range []int{0, min(1, t.count), t.count / 2} {
		m := t.filled(n)
		for round := range 3 {
			t.note("copy in round", round, -1)
			made, err := copy(m)
			if err != nil {
				return fmt.Errorf("a copy of %d keys: %w", len(m.model), err)
			}
			c := m.copied(made)
			if c.Set == nil || c.Get == nil {
				return errors.New("the copy has no Set or no Get")
			}
			if err := c.check(2 * t.count); err != nil {
				return fmt.Errorf("in the copy: %w", err)
			}
			for i := range min(n+3, t.count) { // different changes in each
				switch {
				case i%3 == 0:
					m.set(i, i+7+round)
				case i%3 == 1:
					c.set(i+t.count/2, i+11+round)
				case c.Delete != nil && m.Delete != nil:
					if err := errors.Join(c.remove(i), m.remove(i/2)); err != nil {
						return err
					}
				}
			}
			if err := errors.Join(m.check(2*t.count), c.check(2*t.count)); err != nil {
				return fmt.Errorf("after both were changed: %w", err)
			}
			m = c
		}
	}
	return nil
}

func (t *trial) agreesWithAModel() error {
	m := t.empty()
	r := random()
	keys := max(1, t.count/2)
	for step := range 20 * keys {
		if step%(4*keys) == 0 {
			keys = max(1, min(keys, r.IntN(keys)+8)) // so that keys change often
		}
		i, v := r.IntN(keys), r.IntN(1000)
		switch r.IntN(6) {
		case 0, 1:
			m.set(i, v)
		case 2, 3:
			if m.Delete != nil {
				if err := m.remove(i); err != nil {
					return err
				}
			}
		}
		if err := m.look(i); err != nil {
			return err
		}
		if m.Clear != nil && r.IntN(5*keys) == 0 {
			t.note("Clear at step", step, -1)
			m.Clear()
			clear(m.model)
		}
		if r.IntN(2*keys+50) == 0 {
			if err := m.check(min(t.count, 2*keys)); err != nil {
				return err
			}
		}
	}
	return m.check(t.count)
}
