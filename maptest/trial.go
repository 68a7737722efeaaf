package maptest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"strings"
)

const seed = 1

// A trial is the test of one promise.
type trial[K comparable, V any] struct {
	open   func() Map[K, V]
	count  int // of keys
	opened []*Map[K, V]
	calls  []string // the last ones that changed a map
	key    func(int) K
	value  func(int) V
}

// A tested map is one with what it must hold.
type tested[K comparable, V any] struct {
	*Map[K, V]
	trial *trial[K, V]
	model map[K]V
}

// usable says why the promise is not tested, if so.
func (t *trial[K, V]) usable(p Promise) error {
	m := t.take(t.open())
	if m.Set == nil || m.Get == nil {
		return fmt.Errorf("a Map must have Set and Get")
	}
	t.key, t.value = m.Key, m.Value
	if t.key == nil {
		if err := canMake(reflect.TypeFor[K]()); err != nil {
			return fmt.Errorf("%w; set Key", err)
		}
		t.key = made[K]
		t.count = min(t.count, distinct(reflect.TypeFor[K]())/2)
	}
	if t.value == nil {
		if err := canMake(reflect.TypeFor[V]()); err != nil {
			return fmt.Errorf("%w; set Value", err)
		}
		t.value = made[V]
	}
	if m.Room > 0 {
		t.count = min(t.count, m.Room)
	}
	var lacks []string
	need := func(is bool, what string) {
		if !is {
			lacks = append(lacks, what)
		}
	}
	switch p {
	case LenCounts:
		need(m.Len != nil, "Len")
	case DeleteTakesOne, DeletedComeAgain:
		need(m.Delete != nil, "Delete")
	case GetOrSetSetsOnce:
		need(m.GetOrSet != nil, "GetOrSet")
	case AllYieldsEach, AllStops, KeysStay:
		need(m.All != nil, "All")
	case AllIsOrdered:
		need(m.All != nil, "All")
		need(m.Compare != nil, "Compare")
	case AllAllowsChanges:
		need(m.All != nil, "All")
		need(m.Delete != nil, "Delete")
		need(m.Changes, "Changes")
	case ResetTakesAll:
		need(m.Reset != nil, "Reset")
	case CloneIsApart:
		need(m.Clone != nil, "Clone")
	case ReopenKeeps:
		need(m.Reopen != nil, "Reopen")
	}
	if len(lacks) > 0 {
		t.closeAll()
		return fmt.Errorf("%w, for there is no %s", ErrNotTested, strings.Join(lacks, " and no "))
	}
	return nil
}

// closeAll closes what a promise that is not tested has opened.
func (t *trial[K, V]) closeAll() {
	for _, m := range t.opened {
		if m.Close != nil {
			_ = t.guarded(m.Close)
		}
	}
	t.opened = nil
}

func (t *trial[K, V]) take(m Map[K, V]) *Map[K, V] {
	t.opened = append(t.opened, &m)
	return &m
}

// empty returns a new map.
func (t *trial[K, V]) empty() *tested[K, V] {
	return &tested[K, V]{t.take(t.open()), t, map[K]V{}}
}

// filled returns a map of the first n keys.
func (t *trial[K, V]) filled(n int) *tested[K, V] {
	m := t.empty()
	for i := range n {
		m.set(i, i)
	}
	return m
}

// random is the source of a test's choices.
func random() *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// note remembers a call for the message of a failure. It formats only what may be shown.
func (t *trial[K, V]) note(what string, i, v int) {
	if len(t.calls) == 2*shown {
		t.calls = append(t.calls[:0], t.calls[shown:]...)
	}
	t.calls = append(t.calls, fmt.Sprintf("%s %d", what, i))
	if v >= 0 {
		t.calls[len(t.calls)-1] += fmt.Sprintf(" to value %d", v)
	}
}

// shown is how many calls a message shows.
const shown = 12

func (t *trial[K, V]) history() string {
	last := t.calls[max(0, len(t.calls)-shown):]
	if len(last) == 0 {
		return ""
	}
	return "\n\tafter: " + strings.Join(last, ", ")
}

// guarded calls f, and makes an error of a panic.
func (t *trial[K, V]) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

func (t *trial[K, V]) run(p Promise) error {
	test := map[Promise]func() error{
		SetIsFound: t.setIsFound, SetReplaces: t.setReplaces, LenCounts: t.lenCounts, DeleteTakesOne: t.deleteTakesOne, DeletedComeAgain: t.deletedComeAgain,
		GetOrSetSetsOnce: t.getOrSetSetsOnce, AllYieldsEach: t.allYieldsEach, AllStops: t.allStops, AllIsOrdered: t.allIsOrdered,
		AllAllowsChanges: t.allAllowsChanges, KeysStay: t.keysStay, ResetTakesAll: t.resetTakesAll, CloneIsApart: t.cloneIsApart, ReopenKeeps: t.reopenKeeps,
		AgreesWithAModel: t.agreesWithAModel,
	}[p]
	if test == nil {
		return fmt.Errorf("%q is none of Promises", p)
	}
	return t.guarded(test)
}

func (m *tested[K, V]) set(i, v int) {
	m.trial.note("Set key", i, v)
	k, value := m.trial.key(i), m.trial.value(v)
	m.Set(k, value)
	m.model[k] = value
}

// equal compares two values of any type.
func equal[V any](a, b V) bool {
	if reflect.TypeFor[V]().Comparable() {
		return any(a) == any(b)
	}
	return reflect.DeepEqual(a, b)
}

// look compares what Get says of key i with the model.
func (m *tested[K, V]) look(i int) error {
	k := m.trial.key(i)
	got, ok := m.Get(k)
	want, there := m.model[k]
	switch {
	case ok && !there:
		return broken("Get of key %d (%.60v) finds %.60v, and it is not there", i, k, got)
	case !ok && there && !m.Forgets:
		return broken("Get of key %d (%.60v) finds nothing, and it is there", i, k)
	case ok && !equal(got, want):
		return broken("Get of key %d (%.60v) finds %.60v, want %.60v", i, k, got, want)
	case !ok && !equal(got, *new(V)):
		return broken("Get of key %d (%.60v), which is missing, returns %.60v, want the zero value", i, k, got)
	}
	return nil
}

// check compares the map with the model: the first n keys, Len, and All.
func (m *tested[K, V]) check(n int) error {
	for i := range n {
		if err := m.look(i); err != nil {
			return err
		}
	}
	if m.Len != nil {
		if got := m.Len(); got > len(m.model) || got < len(m.model) && !m.Forgets {
			return broken("Len is %d, want %d", got, len(m.model))
		}
	}
	if m.All == nil {
		return nil
	}
	return m.checkAll()
}

// checkAll compares All with the model.
func (m *tested[K, V]) checkAll() error {
	seen := make(map[K]bool, len(m.model))
	for k, v := range m.All() {
		want, there := m.model[k]
		switch {
		case !there:
			return broken("All yields %.60v, which is not there", k)
		case seen[k]:
			return broken("All yields %.60v twice", k)
		case !equal(v, want):
			return broken("All yields %.60v with %.60v, want %.60v", k, v, want)
		}
		seen[k] = true
	}
	if len(seen) != len(m.model) && !m.Forgets {
		return broken("All yields %d keys of %d", len(seen), len(m.model))
	}
	return nil
}

// broken is fmt.Errorf for messages that begin with the name of a function.
func broken(format string, a ...any) error { return fmt.Errorf(format, a...) }
