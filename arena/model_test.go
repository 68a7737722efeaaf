package arena_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// A value is a variable, slice or string in the arena together with its expected contents.
type value interface {
	// check returns a description of the difference, or "".
	check() string
}

// pointing contains pointers. It detects when another value shares its memory, and when the
// collector frees a string that only it references.
type pointing struct {
	id   int
	self *pointing
	text string // on the Go heap, and not referenced elsewhere
}

func (p *pointing) check() string {
	if p.self != p || p.text != fmt.Sprint("text ", p.id) {
		return fmt.Sprintf("pointing is %+v", *p)
	}
	return ""
}

// other is a second type with pointers. It has the same size as pointing.
type other struct {
	next *other
	list []int
}

type otherValue struct {
	o  *other
	id int
}

func (v otherValue) check() string {
	if v.o.next != v.o || len(v.o.list) != 1 || v.o.list[0] != v.id {
		return fmt.Sprintf("other %d is %+v", v.id, *v.o)
	}
	return ""
}

// flat is a comparable value at an address in the arena.
type flat[T comparable] struct {
	at   *T
	want T
}

func (v flat[T]) check() string {
	if *v.at != v.want {
		return fmt.Sprintf("%T is %v, want %v", v.want, *v.at, v.want)
	}
	return ""
}

// many has more words than a pointer mask covers, and many of them are pointers.
type many struct {
	id    int
	texts [50]string
	any   any
	last  *int
}

func newMany(id int) *many {
	v := &many{id: id, any: fmt.Sprint("any ", id), last: &id}
	for i := range v.texts {
		v.texts[i] = fmt.Sprint("text ", id, i)
	}
	return v
}

func (v *many) check() string {
	if want := newMany(v.id); v.texts != want.texts || v.any != want.any || *v.last != *want.last {
		return fmt.Sprintf("many %d is %+v", v.id, *v)
	}
	return ""
}

// text is a string from the arena.
type text struct {
	got  string
	want []byte
}

func (v text) check() string {
	if v.got != string(v.want) {
		return fmt.Sprintf("string is %q, want %q", v.got, v.want)
	}
	return ""
}

// row is a slice in the arena that Append may have extended.
type row[T comparable] struct{ got, want []T }

func (v *row[T]) check() string {
	if len(v.got) != len(v.want) {
		return fmt.Sprintf("a slice of %d values, want %d", len(v.got), len(v.want))
	}
	for i := range v.got {
		if v.got[i] != v.want[i] {
			return fmt.Sprintf("element %d of %d is %v, want %v", i, len(v.got), v.got[i], v.want[i])
		}
	}
	return ""
}

// A moment is a Mark together with the model's state at the time of the Mark.
type moment struct {
	mark                  arena.Mark
	live, numbers, labels int
	lengths               []int // of the rows, which may grow afterwards
}

// machine is the state of the model test: an Arena and the values that should be live in it, in the
// order of their allocation.
type machine struct {
	arena   *arena.Arena
	live    []value
	numbers []*row[uint16] // the elements of live that may grow
	labels  []*row[string]
	marks   []moment
	dead    []arena.Mark // invalid Marks: of earlier phases, rewound past, or of another arena
	id      int
}

func (m *machine) next() int { m.id++; return m.id }

func newFlat[T comparable](t *rapid.T, m *machine, want T) {
	at := arena.New[T](m.arena)
	var zero T
	if *at != zero {
		t.Fatalf("New[%T] handed out %v", zero, *at)
	}
	*at = want
	m.live = append(m.live, flat[T]{at, want})
}

func (m *machine) NewPlain(t *rapid.T) {
	for range rapid.IntRange(1, 30).Draw(t, "times") {
		id := m.next()
		switch rapid.IntRange(0, 5).Draw(t, "type") {
		case 0:
			newFlat(t, m, byte(id)|1)
		case 1:
			newFlat(t, m, int16(id)|1)
		case 2:
			newFlat(t, m, float64(id))
		case 3:
			newFlat(t, m, [3]uint64{uint64(id), 1, 2})
		case 4:
			newFlat(t, m, [13]byte{byte(id), 12: 7})
		case 5:
			newFlat(t, m, struct{}{})
		}
	}
}

func (m *machine) NewPointing(t *rapid.T) {
	for range rapid.IntRange(1, 100).Draw(t, "times") {
		id := m.next()
		p := arena.New[pointing](m.arena)
		if *p != (pointing{}) {
			t.Fatalf("New handed out %+v", *p)
		}
		*p = pointing{id, p, fmt.Sprint("text ", id)}
		m.live = append(m.live, p)
	}
}

func (m *machine) CopyPointing(t *rapid.T) {
	for range rapid.IntRange(1, 100).Draw(t, "times") {
		id := m.next()
		p := arena.Copy(m.arena, &pointing{id: id, text: fmt.Sprint("text ", id)})
		p.self = p
		m.live = append(m.live, p)
	}
}

func (m *machine) CopyMany(t *rapid.T) {
	for range rapid.IntRange(1, 5).Draw(t, "times") {
		m.live = append(m.live, arena.Copy(m.arena, newMany(m.next())))
		plain := [13]byte{byte(m.next()), 12: 7}
		m.live = append(m.live, flat[[13]byte]{arena.Copy(m.arena, &plain), plain})
	}
}

func (m *machine) NewOther(t *rapid.T) {
	id := m.next()
	o := arena.New[other](m.arena)
	if o.next != nil || o.list != nil {
		t.Fatalf("New handed out %+v", *o)
	}
	o.next, o.list = o, []int{id}
	m.live = append(m.live, otherValue{o, id})
}

func makeRow[T comparable](t *rapid.T, m *machine) *row[T] {
	length := rapid.IntRange(0, 40).Draw(t, "length")
	capacity := length + rapid.IntRange(0, 10).Draw(t, "room")
	made := arena.Make[T](m.arena, capacity)[:length]
	if len(made) != length || cap(made) != capacity {
		t.Fatalf("Make(%d, %d) has len %d, cap %d", length, capacity, len(made), cap(made))
	}
	r := &row[T]{got: made, want: make([]T, length)}
	if wrong := (&row[T]{made[:capacity], make([]T, capacity)}).check(); wrong != "" {
		t.Fatalf("Make handed out what is not zero: %s", wrong)
	}
	m.live = append(m.live, r)
	return r
}

func (m *machine) MakeNumbers(t *rapid.T) { m.numbers = append(m.numbers, makeRow[uint16](t, m)) }
func (m *machine) MakeLabels(t *rapid.T)  { m.labels = append(m.labels, makeRow[string](t, m)) }

func appendTo[T comparable](t *rapid.T, m *machine, rows []*row[T], value func(int) T) {
	if len(rows) == 0 {
		return
	}
	r := rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]
	if rapid.Bool().Draw(t, "the last") {
		r = rows[len(rows)-1]
	}
	for range rapid.IntRange(0, 4).Draw(t, "appends") {
		var more []T
		for range rapid.IntRange(0, 7).Draw(t, "values") {
			more = append(more, value(m.next()))
		}
		if rapid.Bool().Draw(t, "by Grow") {
			r.got = append(arena.Grow(m.arena, r.got, len(more)), more...)
		} else {
			r.got = arena.Append(m.arena, r.got, more...)
		}
		r.want = append(r.want, more...)
	}
}

func (m *machine) AppendNumbers(t *rapid.T) {
	appendTo(t, m, m.numbers, func(id int) uint16 { return uint16(id) })
}

func (m *machine) AppendLabels(t *rapid.T) {
	appendTo(t, m, m.labels, func(id int) string { return fmt.Sprint("label ", id) })
}

func (m *machine) Clone(t *rapid.T) {
	if len(m.numbers) == 0 {
		return
	}
	r := m.numbers[len(m.numbers)-1]
	m.live = append(m.live, &row[uint16]{arena.Clone(m.arena, r.got), append([]uint16(nil), r.want...)})
}

func (m *machine) String(t *rapid.T) {
	b := rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes")
	s := m.arena.String(b)
	m.live = append(m.live, text{s, b}, text{m.arena.CloneString(s), b})
}

func (m *machine) Join(t *rapid.T) {
	parts := rapid.SliceOfN(rapid.StringN(0, 10, 30), 0, 5).Draw(t, "parts")
	sep := rapid.SampledFrom([]string{"", ",", " and "}).Draw(t, "separator")
	m.live = append(m.live, text{m.arena.Concat(parts...), []byte(strings.Join(parts, ""))}, text{m.arena.Join(parts, sep), []byte(strings.Join(parts, sep))})
}

func (m *machine) Of(t *rapid.T) {
	for range rapid.IntRange(1, 5).Draw(t, "times") {
		want := complex64(complex(float32(m.next()), 1)) // the first Of creates a slab
		at := arena.Of[complex64](m.arena).New()
		if *at != 0 {
			t.Fatalf("the slab of Of handed out %v", *at)
		}
		*at = want
		m.live = append(m.live, flat[complex64]{at, want})
	}
}

func (m *machine) NewComplex(t *rapid.T) { newFlat(t, m, complex64(complex(float32(m.next()), 2))) }

func (m *machine) Mark(*rapid.T) {
	now := moment{m.arena.Mark(), len(m.live), len(m.numbers), len(m.labels), nil}
	for _, r := range m.numbers {
		now.lengths = append(now.lengths, len(r.want))
	}
	for _, r := range m.labels {
		now.lengths = append(now.lengths, len(r.want))
	}
	m.marks = append(m.marks, now)
}

func (m *machine) Rewind(t *rapid.T) {
	if len(m.marks) == 0 {
		return // with a skip, rapid would give up on a fuzz input that asks for many in a row
	}
	at := rapid.IntRange(0, len(m.marks)-1).Draw(t, "to mark")
	to := m.marks[at]
	// Elements appended since the Mark may be in memory that Rewind takes back, so the model gives
	// them up first. If Append moved a row after the Mark, all of its elements are in such memory,
	// so shorten copies the older ones to the Go heap.
	for i, r := range m.numbers[:to.numbers] {
		r.shorten(m.arena, to.lengths[i])
	}
	for i, r := range m.labels[:to.labels] {
		r.shorten(m.arena, to.lengths[to.numbers+i])
	}
	m.arena.Rewind(to.mark)
	m.live, m.numbers, m.labels = m.live[:to.live], m.numbers[:to.numbers], m.labels[:to.labels]
	m.forget(at + 1)
}

// forget truncates m.marks to n Marks and records the others as dead, except those that equal the
// last one kept.
func (m *machine) forget(n int) {
	for _, late := range m.marks[n:] {
		if n == 0 || late.mark != m.marks[n-1].mark {
			m.dead = append(m.dead, late.mark)
		}
	}
	m.marks = m.marks[:n]
}

// RewindToDead verifies that Rewind rejects an invalid Mark. Check then verifies that nothing
// changed.
func (m *machine) RewindToDead(t *rapid.T) {
	mark := rapid.SampledFrom(m.dead).Draw(t, "dead")
	if got := panicOf(func() { m.arena.Rewind(mark) }); got == "no panic" {
		t.Fatalf("Rewind went back to %v, which is no moment of this phase", mark)
	}
}

// shorten truncates r to a copy on the Go heap, which a Rewind does not affect.
func (r *row[T]) shorten(a *arena.Arena, length int) {
	if len(r.want) != length {
		r.got, r.want = append([]T(nil), r.got[:length]...), r.want[:length]
	}
}

func (m *machine) Reset(*rapid.T) {
	m.arena.Reset()
	m.live, m.numbers, m.labels = nil, nil, nil
	m.forget(0)
}

func (m *machine) Release(t *rapid.T) {
	m.arena.Release()
	st := m.arena.Stats()
	if st.Types = 0; st != (arena.Stats{}) {
		t.Fatalf("after Release: %+v", st)
	}
	m.Check(t) // values that are still referenced stay valid
	m.live, m.numbers, m.labels = nil, nil, nil
	m.forget(0)
}

func (m *machine) Check(t *rapid.T) {
	for i, v := range m.live {
		if wrong := v.check(); wrong != "" {
			t.Fatalf("value %d of %d: %s", i, len(m.live), wrong)
		}
	}
	if st := m.arena.Stats(); st.Used+st.Wasted > st.Size {
		t.Fatalf("%+v: more in use than held", st)
	}
}

func againstModel(t *rapid.T) {
	m := &machine{arena: new(arena.Arena), dead: []arena.Mark{{}, new(arena.Arena).Mark()}}
	if rapid.Bool().Draw(t, "set Keep") {
		m.arena.Options.Keep = rapid.IntRange(0, 20_000).Draw(t, "Keep")
	}
	if rapid.Bool().Draw(t, "set Defer") {
		m.arena.Options.Defer = rapid.IntRange(0, 20).Draw(t, "Defer")
	}
	t.Repeat(map[string]func(*rapid.T){
		"NewPlain": m.NewPlain, "NewPointing": m.NewPointing, "NewOther": m.NewOther, "NewComplex": m.NewComplex,
		"CopyPointing": m.CopyPointing, "CopyMany": m.CopyMany,
		"MakeNumbers": m.MakeNumbers, "MakeLabels": m.MakeLabels,
		"AppendNumbers": m.AppendNumbers, "AppendLabels": m.AppendLabels, "Clone": m.Clone, "String": m.String, "Join": m.Join,
		"Of": m.Of, "Mark": m.Mark, "Rewind": m.Rewind, "RewindToDead": m.RewindToDead, "Reset": m.Reset, "Release": m.Release, "": m.Check,
	})
}

func TestArenaAgainstModel(t *testing.T) { random.Check(t, againstModel) }

func FuzzArena(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }
