package arena_test

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"pgregory.net/rapid"
)

// A web has fields of every kind that can contain references, most of them unexported.
type web struct {
	Name   string
	next   *web
	list   []*web
	inline [2]struct{ text string }
	values map[string]*web
	boxed  any
	count  *int
	row    []int
	call   func() string
}

// inArena returns a web allocated from a, with shared values and cycles.
func inArena(a *arena.Arena) *web {
	shared := arena.Alloc(a, web{Name: a.CloneString("shared")})
	w := arena.Alloc(a, web{
		Name:   a.CloneString("root"),
		next:   shared,
		list:   arena.SliceOf(a, shared, nil),
		values: map[string]*web{a.CloneString("key"): shared},
		boxed:  []any{a.CloneString("boxed"), shared, 7},
		count:  arena.Alloc(a, 42),
		row:    arena.SliceOf(a, 1, 2, 3),
		call:   func() string { return "called" },
	})
	w.inline[1].text = a.CloneString("inline")
	w.list[1] = w
	shared.next = w
	return w
}

func (w *web) check(t *testing.T) {
	t.Helper()
	shared := w.next
	if w.Name != "root" || shared.Name != "shared" || shared.next != w || len(w.list) != 2 || w.list[0] != shared || w.list[1] != w {
		t.Errorf("pointers: %q %q", w.Name, shared.Name)
	}
	if w.inline[1].text != "inline" || w.values["key"] != shared || len(w.values) != 1 {
		t.Errorf("arrays and maps: %q %v", w.inline[1].text, w.values)
	}
	box := w.boxed.([]any)
	if box[0] != "boxed" || box[1] != shared || box[2] != 7 || *w.count != 42 || !reflect.DeepEqual(w.row, []int{1, 2, 3}) || w.call() != "called" {
		t.Errorf("the rest: %v %d %v", box, *w.count, w.row)
	}
}

// An exported value stays unchanged when the arena reuses its memory.
func TestExport(t *testing.T) {
	var a arena.Arena
	for range 3 {
		original := inArena(&a)
		copied := arena.Export(&a, original)
		original.check(t)
		a.Reset()
		for range 200 {
			arena.Alloc(&a, web{Name: "other"})
			a.CloneString("other text that is longer than all before")
			arena.Alloc(&a, 13)
			arena.SliceOf[*web](&a, nil, nil)
		}
		runtime.GC()
		copied.check(t)
		a.Reset()
	}
}

// A value outside the arena that has no references into the arena is not copied.
func TestExportLeavesOtherMemory(t *testing.T) {
	var a arena.Arena
	outside := &web{Name: "outside", values: map[string]*web{"x": nil}}
	text := fmt.Sprint("text", 1)
	w := arena.Alloc(&a, web{Name: text, next: outside, list: []*web{outside}, values: outside.values, boxed: outside})
	list := w.list
	copied := arena.Export(&a, w)
	if copied == w || copied.next != outside || &copied.list[0] != &list[0] || copied.boxed != outside || !same(copied.Name, text) {
		t.Errorf("the copy is %+v", copied)
	}
	if reflect.ValueOf(copied.values).Pointer() != reflect.ValueOf(outside.values).Pointer() {
		t.Error("a map without values of the arena was copied")
	}
	if arena.Export(&a, outside) != outside || arena.Export(&a, 7) != 7 || arena.Export[any](&a, nil) != nil {
		t.Error("a value outside was copied")
	}
}

// A value outside the arena that references the arena, directly or indirectly, is copied.
func TestExportCopiesWhatRefersToTheArena(t *testing.T) {
	var a arena.Arena
	inner := &web{Name: "inner", next: arena.Alloc(&a, web{Name: a.CloneString("deep")})}
	lonely := &web{Name: "lonely"}
	outer := &web{Name: "outer", list: []*web{inner, lonely}}
	copied := arena.Export(&a, outer)
	a.Reset()
	arena.Alloc(&a, web{Name: a.CloneString("other")})
	if copied == outer || copied.list[0] == inner || copied.list[0].next.Name != "deep" || copied.list[1] != lonely {
		t.Errorf("the copy is %+v", copied)
	}
}

// shares references the same values through several fields.
type shares struct {
	whole             *head
	first             *int
	row, again, start []int
	text, same, begin string
	byKey             map[*head]string
	keys              map[string]int
}

type head struct {
	n int
	_ *head
}

// Values that are shared stay shared in the copy. Different values at the same address, such as a
// struct and its first field, must not be confused.
func TestExportKeepsWhatIsShared(t *testing.T) {
	var a arena.Arena
	h := arena.Alloc(&a, head{n: 7})
	row, text := arena.SliceOf(&a, 1, 2, 3), a.CloneString("shared text")
	copied := arena.Export(&a, &shares{
		whole: h, first: &h.n, row: row, again: row, start: row[:2], text: text, same: text, begin: text[:6],
		byKey: map[*head]string{h: "a key"}, keys: map[string]int{text: 1},
	})
	a.Reset()
	for range 100 {
		arena.Alloc(&a, head{n: 13})
		a.CloneString("other text")
		arena.SliceOf(&a, 13, 13, 13)
	}
	if copied.whole.n != 7 || *copied.first != 7 || copied.byKey[copied.whole] != "a key" || copied.keys["shared text"] != 1 {
		t.Errorf("pointers and keys: %v %d %v %v", copied.whole, *copied.first, copied.byKey, copied.keys)
	}
	if &copied.row[0] != &copied.again[0] || len(copied.row) != 3 || copied.row[2] != 3 || len(copied.start) != 2 {
		t.Errorf("slices: %v %v %v", copied.row, copied.again, copied.start)
	}
	if !same(copied.text, copied.same) || copied.text != "shared text" || copied.begin != "shared" {
		t.Errorf("strings: %q %q %q", copied.text, copied.same, copied.begin)
	}
}

// Export copies neither the arena nor a Builder: a value that references them still does
// afterwards.
func TestExportLeavesAllocators(t *testing.T) {
	type document struct {
		in    *arena.Arena
		text  *arena.Builder
		title string
	}
	var a arena.Arena
	b := &arena.Builder{Arena: &a}
	b.WriteString("text")
	copied := arena.Export(&a, arena.Alloc(&a, document{in: &a, text: b, title: a.CloneString("title")}))
	a.Reset()
	if copied.in != &a || copied.text != b || copied.title != "title" {
		t.Errorf("the copy is %+v", copied)
	}
}

// Export must not recurse over a linked list, because the list may have any length.
func TestExportOfALongList(t *testing.T) {
	var a arena.Arena
	var list *web
	length := 300_000
	if testing.Short() {
		length = 30_000
		defer debug.SetMaxStack(debug.SetMaxStack(1 << 20)) // makes a recursion crash
	}
	for range length {
		list = arena.Alloc(&a, web{next: list})
	}
	copied := arena.Export(&a, list)
	a.Reset()
	n := 0
	for ; copied != nil; copied = copied.next {
		n++
	}
	if n != length {
		t.Errorf("the copy has %d values", n)
	}
}

// Export must not recurse over chains of interfaces, maps and slices either.
func TestExportOfDeepValues(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20)) // makes a recursion crash
	const depth = 50_000
	type cons struct {
		head *int
		tail any
	}
	var a arena.Arena
	var boxes, maps, slices any
	for i := range depth {
		boxes = cons{arena.Alloc(&a, i), boxes}
		maps = map[string]any{a.CloneString("next"): maps}
		slices = []any{slices, arena.Alloc(&a, i)}
	}
	boxed, mapped, sliced := arena.Export(&a, boxes), arena.Export(&a, maps), arena.Export(&a, slices)
	a.Reset()
	for range 100 {
		arena.Alloc(&a, -1)
		a.CloneString("????")
	}
	for i := depth - 1; i >= 0; i-- {
		c, m, s := boxed.(cons), mapped.(map[string]any), sliced.([]any)
		next, has := m["next"]
		if *c.head != i || !has || *s[1].(*int) != i {
			t.Fatalf("at %d are %d, %v and %d", i, *c.head, has, *s[1].(*int))
		}
		boxed, mapped, sliced = c.tail, next, s[0]
	}
	if boxed != nil || mapped != nil || sliced != nil {
		t.Error("a copy is longer than the original")
	}
}

// A value shared by several interfaces is copied once. Otherwise, a value shared at each of 60
// levels would be copied 2^60 times.
func TestExportKeepsSharedInterfaces(t *testing.T) {
	type pair struct{ left, right any }
	var a arena.Arena
	var v any = arena.Alloc(&a, 7)
	for range 60 {
		v = pair{v, v}
	}
	copied := arena.Export(&a, v)
	a.Reset()
	arena.Alloc(&a, 13)
	for range 60 {
		copied = copied.(pair).right
	}
	if *copied.(*int) != 7 {
		t.Errorf("the innermost value is %d", *copied.(*int))
	}
}

// These types differ in whether an interface stores their values directly or by address.
type (
	wrapped struct{ p *int }
	array   [1]*int
	padded  struct {
		_ struct{}
		p *int
	}
	boxedMap map[string]*int
	named    *int
	textual  string
	wide     struct{ a, b *int }
	narrow   struct{ x any }
	method   struct{ p *int }
)

func (m method) String() string { return fmt.Sprint(*m.p) }

// Export copies values of every kind that an interface stores. The copies keep their dynamic types
// and thus their methods.
func TestExportOfEveryKindOfInterface(t *testing.T) {
	var a arena.Arena
	p := arena.Alloc(&a, 7)
	call := func() int { return 7 }
	copied := arena.Export(&a, []any{
		p, wrapped{p}, array{p}, padded{p: p}, boxedMap{"x": p}, named(p), textual(a.CloneString("text")), wide{p, p},
		narrow{narrow{p}}, []fmt.Stringer{method{p}, &method{p}, nil}, []*int{p}, 7, nil, call, [0]*int{}, struct{}{}, [2]any{p, 7},
	})
	a.Reset()
	for range 100 {
		arena.Alloc(&a, -1)
		a.CloneString("other")
	}
	runtime.GC()
	q := copied[0].(*int)
	if *q != 7 || copied[1] != (wrapped{q}) || copied[2] != (array{q}) || copied[3].(padded).p != q || copied[4].(boxedMap)["x"] != q || copied[5].(named) != q ||
		copied[6] != textual("text") || copied[7] != (wide{q, q}) || copied[8] != (narrow{narrow{q}}) || copied[10].([]*int)[0] != q {
		t.Errorf("the copies are %v", copied)
	}
	methods := copied[9].([]fmt.Stringer)
	if methods[0].String() != "7" || methods[1].String() != "7" || methods[2] != nil {
		t.Errorf("the copies with methods are %v", methods)
	}
	if copied[11] != 7 || copied[12] != nil || copied[13].(func() int)() != 7 || copied[14] != [0]*int{} || copied[15] != struct{}{} || copied[16] != [2]any{q, 7} {
		t.Errorf("the copies are %v", copied)
	}
}

// A map key in a copy has all of its fields copied, nested interfaces included, so a lookup still
// finds it.
func TestExportOfKeys(t *testing.T) {
	type key struct {
		name  string
		inner any
	}
	var a arena.Arena
	p := arena.Alloc(&a, 7)
	m := map[any]any{}
	m[key{a.CloneString("outer"), key{a.CloneString("inner"), p}}] = m
	m[key{"", [1]any{a.CloneString("text")}}] = p
	copied := arena.Export(&a, map[any]any{p: m})
	a.Reset()
	for range 100 {
		arena.Alloc(&a, -1)
		a.CloneString("?????")
	}
	for q, inner := range copied {
		in := inner.(map[any]any)
		if *q.(*int) != 7 || len(in) != 2 || in[key{"", [1]any{"text"}}] != q {
			t.Errorf("the copy is %v", copied)
		}
		if self, is := in[key{"outer", key{"inner", q}}].(map[any]any); !is || len(self) != 2 {
			t.Error("the map does not have itself")
		}
	}
}

// Export of a map that contains itself terminates.
func TestExportOfAMapInItself(t *testing.T) {
	var a arena.Arena
	m := map[string]any{a.CloneString("name"): 1}
	m["self"] = m
	copied := arena.Export(&a, m)
	a.Reset()
	if self := copied["self"].(map[string]any); len(self) != 2 || copied["name"] != 1 || self["name"] != 1 {
		t.Errorf("the copy is %v", copied)
	}
}

// Random graphs are deeply equal to a model after Export, and stay so when the arena is reused.
func TestExportAgainstModel(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		var a arena.Arena
		var inside []*web
		model := []*web{}
		for i := range rapid.IntRange(1, 40).Draw(t, "values") {
			name := fmt.Sprint("value ", i)
			v, m := arena.Alloc(&a, web{Name: a.CloneString(name)}), &web{Name: name}
			if i > 0 {
				to := rapid.IntRange(0, i-1).Draw(t, "next")
				v.next, m.next = inside[to], model[to]
				at := rapid.IntRange(0, i-1).Draw(t, "list")
				v.list, m.list = arena.SliceOf(&a, inside[at], v), []*web{model[at], m}
				v.boxed, m.boxed = a.CloneString(name), name
			}
			inside, model = append(inside, v), append(model, m)
		}
		last := len(inside) - 1
		copied := arena.Export(&a, inside[last])
		a.Reset()
		for range 100 {
			arena.Alloc(&a, web{Name: a.CloneString("another")})
		}
		if !reflect.DeepEqual(copied, model[last]) {
			t.Fatal("the copy differs from the model")
		}
	})
}
