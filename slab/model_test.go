package slab_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/slab"
)

// record is a value that contains its own number and its own address. It thus detects whether
// another value shares its memory.
type record struct {
	id   int
	self *record
	text string
}

func (r *record) fill(id int) { *r = record{id, r, string(rune('a' + id%26))} }

func (r *record) intact(id int) bool {
	return r.id == id && r.self == r && r.text == string(rune('a'+id%26))
}

// machine applies the same operations to a Slab and to its model. The model contains the live
// values in the order of their allocation, because a Slab promises nothing else.
type machine struct {
	options slab.Options
	slab    *slab.Slab[record]
	live    []*record
	last    []record // the last result of Make or Extend
	marks   []moment
	dead    []slab.Mark // invalid: of earlier phases, undone by a Rewind, or of another slab
	peak    int         // maximum number of slots that this phase needed
	needs   []int       // peaks of the last 64 phases
}

// A moment is a Mark and the number of values that were live when the Mark was made.
type moment struct {
	mark slab.Mark
	live int
}

func (m *machine) hand(t *rapid.T, r *record) {
	if *r != (record{}) {
		t.Fatalf("value %d handed out with %+v in it", len(m.live), *r)
	}
	r.fill(len(m.live))
	m.live = append(m.live, r)
}

func (m *machine) New(t *rapid.T) {
	for range rapid.IntRange(1, 200).Draw(t, "times") {
		m.hand(t, m.slab.New())
	}
}

func (m *machine) Make(t *rapid.T) {
	n := rapid.IntRange(0, 300).Draw(t, "n")
	made := m.slab.Make(n)
	if len(made) != n || cap(made) != n {
		t.Fatalf("Make(%d) has len %d, cap %d", n, len(made), cap(made))
	}
	for i := range made {
		m.hand(t, &made[i])
	}
	m.last = made
}

func (m *machine) Extend(t *rapid.T) {
	n := rapid.IntRange(0, 20).Draw(t, "n")
	v := m.last
	if drop := rapid.IntRange(0, len(v)).Draw(t, "drop"); drop > 0 {
		v = v[drop:] // a slice that begins later, but has the same end, can grow too
	}
	free := m.slab.Cap() - m.slab.Len()
	longer, ok := m.slab.Extend(v, n)
	if len(longer) != len(v) || len(v) > 0 && &longer[0] != &v[0] {
		t.Fatal("Extend moved a slice or changed its length")
	}
	if !ok {
		if cap(longer) != cap(v) {
			t.Fatalf("Extend refused %d slots of %d and gave %d", n, free, cap(longer)-cap(v))
		}
		return
	}
	if cap(longer) != cap(v)+n {
		t.Fatalf("Extend(%d) of a slice of capacity %d gave %d", n, cap(v), cap(longer))
	}
	longer = longer[:cap(longer)]
	for i := len(v); i < len(longer); i++ {
		m.hand(t, &longer[i])
	}
	m.last = longer
}

// ExtendAnother verifies that a slice cannot grow if it is not the last one, or does not reach the
// end of the last one.
func (m *machine) ExtendAnother(t *rapid.T) {
	m.Make(t)
	v := m.last
	others := [][]record{v[:0:0], make([]record, 2), nil}
	if len(v) > 0 {
		others = append(others, v[:len(v)-1:len(v)-1])
	}
	for _, v := range others {
		if _, ok := m.slab.Extend(v, 1); ok {
			t.Fatalf("Extend took a slice of capacity %d that is not the last one", cap(v))
		}
	}
}

func (m *machine) Mark(*rapid.T) {
	m.marks = append(m.marks, moment{m.slab.Mark(), len(m.live)})
}

func (m *machine) Rewind(t *rapid.T) {
	if len(m.marks) == 0 {
		return // rapid gives up after many skips, which a fuzzer may cause
	}
	at := rapid.IntRange(0, len(m.marks)-1).Draw(t, "to mark")
	to := m.marks[at]
	m.measure()
	held := m.slab.Cap()
	m.slab.Rewind(to.mark)
	if m.slab.Cap() != held {
		t.Fatalf("Rewind changed Cap from %d to %d", held, m.slab.Cap())
	}
	m.live, m.last = m.live[:to.live], nil
	m.forget(at + 1)
}

// forget removes all Marks except the first n. A removed Mark is invalid from now on, unless it is
// equal to the last remaining one.
func (m *machine) forget(n int) {
	for _, late := range m.marks[n:] {
		if n == 0 || late.mark != m.marks[n-1].mark {
			m.dead = append(m.dead, late.mark)
		}
	}
	m.marks = m.marks[:n]
}

// RewindToDead verifies that Rewind rejects an invalid Mark. Check then verifies that nothing has
// changed.
func (m *machine) RewindToDead(t *rapid.T) {
	mark := rapid.SampledFrom(m.dead).Draw(t, "dead")
	if got := panicOf(func() { m.slab.Rewind(mark) }); got == "no panic" {
		t.Fatalf("Rewind went back to %v, which is no moment of this phase", mark)
	}
}

// measure updates peak, the maximum number of slots that this phase has needed.
func (m *machine) measure() {
	st := m.slab.Stats()
	m.peak = max(m.peak, st.Len+st.Wasted)
}

func (m *machine) Grow(t *rapid.T) {
	n := rapid.IntRange(0, 1000).Draw(t, "n")
	m.slab.Grow(n)
	held := m.slab.Cap()
	for range n {
		m.hand(t, m.slab.New())
	}
	if m.slab.Cap() != held {
		t.Fatalf("%d values after Grow(%d) took memory: Cap %d, then %d", n, n, held, m.slab.Cap())
	}
}

func (m *machine) Reset(t *rapid.T) {
	m.measure()
	m.needs = append(m.needs, m.peak)
	m.needs = m.needs[max(0, len(m.needs)-64):]
	m.slab.Reset()
	first := m.options.FirstChunk
	if first == 0 {
		first = 1 << 10 // more than 1 KiB of records
	}
	if bound := max(2*slices.Max(m.needs), first); !checks.Enabled && m.slab.Cap() > bound {
		t.Fatalf("Reset kept %d slots after phases that needed %v; the bound is %d", m.slab.Cap(), m.needs, bound)
	}
	if keep := m.options.Keep; !checks.Enabled && keep > 0 && m.slab.Cap() > keep {
		t.Fatalf("Reset kept %d slots; Keep is %d", m.slab.Cap(), keep)
	}
	m.live, m.last, m.peak = nil, nil, 0
	m.forget(0)
}

func (m *machine) Release(t *rapid.T) {
	m.slab.Release()
	if got := m.slab.Stats(); got != (slab.Stats{}) {
		t.Fatalf("after Release: %+v", got)
	}
	m.checkLive(t) // Release does not change values that are still held
	m.live, m.last, m.peak, m.needs = nil, nil, 0, nil
	m.forget(0)
}

func (m *machine) checkLive(t *rapid.T) {
	for id, r := range m.live {
		if !r.intact(id) {
			t.Fatalf("value %d of %d changed to %+v", id, len(m.live), *r)
		}
	}
}

func (m *machine) Check(t *rapid.T) {
	m.checkLive(t)
	st := m.slab.Stats()
	if st.Len != len(m.live) || st.Len != m.slab.Len() {
		t.Fatalf("Len %d (Stats %d), want %d", m.slab.Len(), st.Len, len(m.live))
	}
	if st.Len+st.Wasted > st.Cap || st.Cap != m.slab.Cap() {
		t.Fatalf("%+v, Cap() %d: more in use than held", st, m.slab.Cap())
	}
}

func againstModel(t *rapid.T) {
	o := slab.Options{FirstChunk: rapid.SampledFrom([]int{0, 1, 7, 64}).Draw(t, "First")}
	if rapid.Bool().Draw(t, "set Max") {
		o.MaxChunk = o.FirstChunk + rapid.IntRange(0, 500).Draw(t, "Max beyond First")
	}
	if rapid.Bool().Draw(t, "set Keep") {
		o.Keep = rapid.IntRange(1, 2000).Draw(t, "Keep")
	}
	m := &machine{options: o, slab: &slab.Slab[record]{Options: o}}
	m.dead = []slab.Mark{{}, new(slab.Slab[record]).Mark()}
	t.Repeat(map[string]func(*rapid.T){
		"New": m.New, "Make": m.Make, "Extend": m.Extend, "ExtendAnother": m.ExtendAnother, "Grow": m.Grow,
		"Mark": m.Mark, "Rewind": m.Rewind, "RewindToDead": m.RewindToDead,
		"Reset": m.Reset, "Release": m.Release, "": m.Check,
	})
}

func TestSlabAgainstModel(t *testing.T) { random.Check(t, againstModel) }

func FuzzSlab(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }
