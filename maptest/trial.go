package maptest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"strings"
)

const seed = 1

// A trial is one execution of the test of a promise.
type trial struct {
	open   func() anyMap
	keys   reflect.Type
	values reflect.Type
	zero   any // of values
	count  int // of keys
	opened []*anyMap
	calls  []call // the last calls that changed a map
	key    func(int) any
	value  func(int) any
}

// A tested is a map under test, together with its expected contents.
type tested struct {
	*anyMap
	trial *trial
	model map[any]any
}

// usable prepares the trial. It returns an error that explains why the promise cannot be tested, or
// nil if it can.
func (t *trial) usable(p Promise) error {
	m := t.take(t.open())
	if m.Set == nil || m.Get == nil {
		return fmt.Errorf("a Map must have Set and Get")
	}
	t.key, t.value = m.Key, m.Value
	if t.key == nil {
		if err := canMake(t.keys); err != nil {
			return fmt.Errorf("%w; set Key", err)
		}
		t.key = func(i int) any { return made(t.keys, i) }
		t.count = min(t.count, distinct(t.keys)/2)
	}
	if t.value == nil {
		if err := canMake(t.values); err != nil {
			return fmt.Errorf("%w; set Value", err)
		}
		t.value = func(i int) any { return made(t.values, i) }
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
	case ClearTakesAll:
		need(m.Clear != nil, "Clear")
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

// closeAll closes the maps that were opened for a promise that cannot be tested.
func (t *trial) closeAll() {
	for _, m := range t.opened {
		if m.Close != nil {
			_ = t.guarded(m.Close)
		}
	}
	t.opened = nil
}

func (t *trial) take(m anyMap) *anyMap {
	t.opened = append(t.opened, &m)
	return &m
}

// empty returns a new map without keys.
func (t *trial) empty() *tested {
	return &tested{t.take(t.open()), t, map[any]any{}}
}

// filled returns a new map that contains the first n keys.
func (t *trial) filled(n int) *tested {
	m := t.empty()
	for i := range n {
		m.set(i, i)
	}
	return m
}

// random returns the generator for a test's random choices.
func random() *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// A call is a record of one call, for failure messages.
type call struct {
	what string
	i, v int // of the key and the value; a negative v means none
}

func (c call) String() string {
	if c.v < 0 {
		return fmt.Sprintf("%s %d", c.what, c.i)
	}
	return fmt.Sprintf("%s %d to value %d", c.what, c.i, c.v)
}

// note records a call, for failure messages.
func (t *trial) note(what string, i, v int) {
	if len(t.calls) == 2*shown {
		t.calls = append(t.calls[:0], t.calls[shown:]...)
	}
	t.calls = append(t.calls, call{what, i, v})
}

// shown is the number of calls that a failure message lists.
const shown = 12

func (t *trial) history() string {
	last := t.calls[max(0, len(t.calls)-shown):]
	if len(last) == 0 {
		return ""
	}
	texts := make([]string, len(last))
	for i, c := range last {
		texts[i] = c.String()
	}
	return "\n\tafter: " + strings.Join(texts, ", ")
}

// guarded calls f. If f panics, it returns the panic as an error.
func (t *trial) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

func (t *trial) run(p Promise) error {
	test := map[Promise]func() error{
		SetIsFound: t.setIsFound, SetReplaces: t.setReplaces, LenCounts: t.lenCounts, DeleteTakesOne: t.deleteTakesOne, DeletedComeAgain: t.deletedComeAgain,
		GetOrSetSetsOnce: t.getOrSetSetsOnce, AllYieldsEach: t.allYieldsEach, AllStops: t.allStops, AllIsOrdered: t.allIsOrdered,
		AllAllowsChanges: t.allAllowsChanges, KeysStay: t.keysStay, ClearTakesAll: t.resetTakesAll, CloneIsApart: t.cloneIsApart, ReopenKeeps: t.reopenKeeps,
		AgreesWithAModel: t.agreesWithAModel,
	}[p]
	if test == nil {
		return fmt.Errorf("invalid promise %q: must be one of Promises", p)
	}
	return t.guarded(test)
}

func (m *tested) set(i, v int) {
	m.trial.note("Set key", i, v)
	k, value := m.trial.key(i), m.trial.value(v)
	m.Set(k, value)
	m.model[k] = value
}

// equal reports whether two values are equal.
func (t *trial) equal(a, b any) bool {
	if t.values.Comparable() {
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// look compares the result of Get for the i-th key with the expected result.
func (m *tested) look(i int) error {
	k := m.trial.key(i)
	got, ok := m.Get(k)
	want, there := m.model[k]
	switch {
	case ok && !there:
		return broken("Get of key %d (%.60v) finds %.60v, and it is not there", i, k, got)
	case !ok && there && !m.Forgets:
		return broken("Get of key %d (%.60v) finds nothing, and it is there", i, k)
	case ok && !m.trial.equal(got, want):
		return broken("Get of key %d (%.60v) finds %.60v, want %.60v", i, k, got, want)
	case !ok && !m.trial.equal(got, m.trial.zero):
		return broken("Get of key %d (%.60v), which is missing, returns %.60v, want the zero value", i, k, got)
	}
	return nil
}

// check compares the map with its expected contents, using Get for the first n keys, Len, and All.
func (m *tested) check(n int) error {
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

// checkAll compares the entries that All yields with the expected contents.
func (m *tested) checkAll() error {
	seen := make(map[any]bool, len(m.model))
	for k, v := range m.All() {
		want, there := m.model[k]
		switch {
		case !there:
			return broken("All yields %.60v, which is not there", k)
		case seen[k]:
			return broken("All yields %.60v twice", k)
		case !m.trial.equal(v, want):
			return broken("All yields %.60v with %.60v, want %.60v", k, v, want)
		}
		seen[k] = true
	}
	if len(seen) != len(m.model) && !m.Forgets {
		return broken("All yields %d keys of %d", len(seen), len(m.model))
	}
	return nil
}

// broken is like fmt.Errorf, for messages that begin with the name of a function.
func broken(format string, a ...any) error { return fmt.Errorf(format, a...) }
