package hashmap

import "fmt"

// A ComputeOp tells Compute what to do with the entry. The function that the user passes to Compute
// returns it.
type ComputeOp int

// These are the values of ComputeOp.
const (
	CancelOp ComputeOp = iota // leave the entry unchanged
	UpdateOp                  // store the value under the key
	DeleteOp                  // delete the key
)

// Update sets the value of k to the result of change. It calls change with the current value and
// true if k is present, and with the zero value and false otherwise. No other goroutine changes k
// in the meantime: goroutines that change the same shard wait. change must not use the Sharded,
// because that could deadlock. Update panics if Set would panic.
func (s *Sharded[K, V]) Update(k K, change func(v V, ok bool) V) {
	if err := s.update("hashmap.Sharded.Update", &k, change); err != nil {
		panic("hashmap.Sharded.Update: " + err.Error())
	}
}

// TryUpdate is like Update, but if there is no room, it returns an error that wraps ErrFull and
// does not change the Sharded.
func (s *Sharded[K, V]) TryUpdate(k K, change func(v V, ok bool) V) error {
	if err := s.update("hashmap.Sharded.TryUpdate", &k, change); err != nil {
		return fmt.Errorf("hashmap.Sharded.TryUpdate: %w", err)
	}
	return nil
}

func (s *Sharded[K, V]) update(where string, k *K, change func(v V, ok bool) V) error {
	_, _, err := s.compute(where, k, func(v V, ok bool) (V, ComputeOp) { return change(v, ok), UpdateOp })
	return err
}

// Compute calls f with the value of k and true if k is present, and with the zero value and false
// otherwise. Depending on the op that f returns, Compute sets the value to newValue, deletes k, or
// leaves the entry unchanged. It returns the resulting value and reports whether k is then present.
// As in Update, other goroutines that change the shard wait, and f must not use the Sharded. If f
// panics, Compute changes nothing and releases the lock. Compute panics if Set would panic.
func (s *Sharded[K, V]) Compute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool) {
	actual, ok, err := s.compute("hashmap.Sharded.Compute", &k, f)
	if err != nil {
		panic("hashmap.Sharded.Compute: " + err.Error())
	}
	return actual, ok
}

// TryCompute is like Compute, but if there is no room, it returns an error that wraps ErrFull and
// does not change the Sharded.
func (s *Sharded[K, V]) TryCompute(k K, f func(oldValue V, loaded bool) (newValue V, op ComputeOp)) (actual V, ok bool, err error) {
	actual, ok, err = s.compute("hashmap.Sharded.TryCompute", &k, f)
	if err != nil {
		return actual, ok, fmt.Errorf("hashmap.Sharded.TryCompute: %w", err)
	}
	return actual, ok, nil
}

func (s *Sharded[K, V]) compute(where string, k *K, f func(v V, loaded bool) (V, ComputeOp)) (v V, ok bool, err error) {
	sh, h := s.of(where, k)
	sh.Hold() // readers continue while f runs
	defer sh.done()
	sh.m.use(where)
	found := sh.at(s.kind, h, k)
	if found != nil {
		v, ok = *found, true
	}
	next, op := f(v, ok)
	switch {
	case op == UpdateOp && ok:
		sh.Change()
		*found = next
		return next, true, nil
	case op == UpdateOp:
		sh.Change()
		to, err := sh.m.add(h, k)
		if err != nil {
			return v, false, err
		}
		*to = next
		return next, true, nil
	case op == DeleteOp:
		if ok {
			sh.Change()
			sh.m.remove(h, k)
		}
		var zero V
		return zero, false, nil
	case op != CancelOp:
		panic(fmt.Sprintf("%s: there is no ComputeOp %d", where, op))
	}
	return v, ok, nil
}

// LoadOrCompute returns the value of k and true if k is present. Otherwise it calls f, sets the
// value of k to newValue, and returns newValue and false. If f returns true for cancel, nothing is
// stored, and LoadOrCompute returns the zero value and false. If several goroutines call
// LoadOrCompute for an absent key at the same time, only one of them calls f. While f runs,
// goroutines that change the shard wait, but readers do not. f must not use the Sharded, because
// that could deadlock. If f panics, LoadOrCompute changes nothing and releases the lock.
// LoadOrCompute panics if Set would panic.
func (s *Sharded[K, V]) LoadOrCompute(k K, f func() (newValue V, cancel bool)) (value V, loaded bool) {
	value, loaded, err := s.loadOrCompute("hashmap.Sharded.LoadOrCompute", &k, f)
	if err != nil {
		panic("hashmap.Sharded.LoadOrCompute: " + err.Error())
	}
	return value, loaded
}

// TryLoadOrCompute is like LoadOrCompute, but if there is no room, it returns an error that wraps
// ErrFull and does not change the Sharded.
func (s *Sharded[K, V]) TryLoadOrCompute(k K, f func() (newValue V, cancel bool)) (value V, loaded bool, err error) {
	value, loaded, err = s.loadOrCompute("hashmap.Sharded.TryLoadOrCompute", &k, f)
	if err != nil {
		return value, loaded, fmt.Errorf("hashmap.Sharded.TryLoadOrCompute: %w", err)
	}
	return value, loaded, nil
}

func (s *Sharded[K, V]) loadOrCompute(where string, k *K, f func() (V, bool)) (v V, loaded bool, err error) {
	if readsFreely {
		sh, h := s.of(where, k)
		if v, ok, sure := sh.peek(s.kind, h, k); sure && ok {
			return v, true, nil
		}
	}
	v, _, err = s.compute(where, k, func(now V, ok bool) (V, ComputeOp) {
		if loaded = ok; ok {
			return now, CancelOp
		}
		next, cancel := f()
		if cancel {
			return now, CancelOp
		}
		return next, UpdateOp
	})
	return v, loaded, err
}
