package maptest

import "iter"

// An anyMap is a Map without static types. The tests use it so that they are compiled only once,
// instead of once for each tested map.
type anyMap = Map[any, any]

// erased converts m to an anyMap. Functions that are nil in m remain nil.
func erased[K comparable, V any](m Map[K, V]) anyMap {
	e := anyMap{Close: m.Close, Len: m.Len, Clear: m.Clear, Changes: m.Changes, Forgets: m.Forgets, Room: m.Room}
	if m.Set != nil {
		e.Set = func(k, v any) { m.Set(as[K](k), as[V](v)) }
	}
	if m.Get != nil {
		e.Get = func(k any) (any, bool) { v, ok := m.Get(as[K](k)); return v, ok }
	}
	if m.All != nil {
		e.All = func() iter.Seq2[any, any] {
			all := m.All()
			return func(yield func(any, any) bool) { all(func(k K, v V) bool { return yield(k, v) }) }
		}
	}
	if m.Delete != nil {
		e.Delete = func(k any) bool { return m.Delete(as[K](k)) }
	}
	if m.GetOrSet != nil {
		e.GetOrSet = func(k, v any) (any, bool) { got, was := m.GetOrSet(as[K](k), as[V](v)); return got, was }
	}
	if m.Compare != nil {
		e.Compare = func(a, b any) int { return m.Compare(as[K](a), as[K](b)) }
	}
	if m.Key != nil {
		e.Key = func(i int) any { return m.Key(i) }
	}
	if m.Value != nil {
		e.Value = func(i int) any { return m.Value(i) }
	}
	e.Clone, e.Reopen = erasedCopy(m.Clone), erasedCopy(m.Reopen)
	return e
}

func erasedCopy[K comparable, V any](copy func() (Map[K, V], error)) func() (anyMap, error) {
	if copy == nil {
		return nil
	}
	return func() (anyMap, error) { m, err := copy(); return erased(m), err }
}

// as converts x to type T. If T is an interface type and x is nil, the result is the zero T.
func as[T any](x any) T {
	t, _ := x.(T)
	return t
}
