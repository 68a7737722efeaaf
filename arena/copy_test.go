package arena_test

import (
	"fmt"
	"go/format"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// every has a field of each kind of type that contains pointers, and fields without pointers
// between them.
type every struct {
	number  uintptr
	pointer *int
	_       int32
	text    string
	bytes   []byte
	any     any
	err     error
	call    func() int
	table   map[string]int
	pipe    chan int
	row     [3]struct {
		n int16
		p *int
	}
	_    [0]*int
	last bool
}

// newEvery returns an every whose fields all encode n.
func newEvery(n int) *every {
	v := &every{number: ^uintptr(n), pointer: &n, text: fmt.Sprint("text ", n), bytes: fmt.Append(nil, n), any: fmt.Sprint(n),
		err: fmt.Errorf("error %d", n), call: func() int { return n }, table: map[string]int{"n": n}, pipe: make(chan int, n), last: true}
	for i := range v.row {
		v.row[i].n, v.row[i].p = int16(n), &n
	}
	return v
}

// is returns a description of the difference between v and newEvery(n), or "" if they are equal.
func (v *every) is(n int) string {
	ok := v.number == ^uintptr(n) && *v.pointer == n && v.text == fmt.Sprint("text ", n) && string(v.bytes) == strconv.Itoa(n) && v.any == strconv.Itoa(n) &&
		v.err.Error() == fmt.Sprint("error ", n) && v.call() == n && v.table["n"] == n && cap(v.pipe) == n && v.last
	for _, r := range v.row {
		ok = ok && r.n == int16(n) && *r.p == n
	}
	if !ok {
		return fmt.Sprintf("value %d is %+v", n, *v)
	}
	return ""
}

// Copy must keep the referenced values alive as long as the copy, for every kind of pointer.
func TestCopy(t *testing.T) {
	for name, a := range map[string]*arena.Arena{"an arena": new(arena.Arena), "nil": nil} {
		for range 3 {
			copies := make([]*every, 0, 200)
			for n := range 200 {
				copies = append(copies, arena.Copy(a, newEvery(n)))
				if n%50 == 0 {
					runtime.GC()
				}
			}
			runtime.GC()
			for n, v := range copies {
				if wrong := v.is(n); wrong != "" {
					t.Fatalf("%s: %s", name, wrong)
				}
			}
			a.Reset()
		}
	}
}

// Copy of a nil pointer panics immediately and allocates nothing from the arena.
func TestCopyOfNil(t *testing.T) {
	for _, a := range []*arena.Arena{nil, new(arena.Arena)} {
		for _, copied := range []func(){
			func() { arena.Copy[every](a, nil) }, func() { arena.Copy[[1000]*int](a, nil) }, func() { arena.Copy[[8]int](a, nil) }, func() { arena.Copy[struct{}](a, nil) },
		} {
			if got := panicOf(copied); !strings.Contains(got, "nil pointer dereference") {
				t.Errorf("Copy of nil said %q", got)
			}
		}
		if used := a.Stats().Used; used != 0 {
			t.Errorf("%d bytes are gone", used)
		}
	}
}

// The first use of a type takes the same time, whatever the size of the type: it must not visit
// each of the 2^30 elements of an array.
func TestLongTypes(t *testing.T) {
	var a arena.Arena
	if p := arena.Copy(&a, &[1 << 20]byte{7: 1}); p[7] != 1 {
		t.Error("a copy of many bytes has other bytes")
	}
	type emptied struct {
		p    *int
		none [1 << 30]struct{}
	}
	if p := arena.Copy(&a, &emptied{p: new(int)}); *p.p != 0 || len(p.none) != 1<<30 {
		t.Error("a copy with many values without a size is another one")
	}
	arena.New[[1 << 30]struct{}](&a)
}

// The argument of Copy does not escape, so it stays on the caller's stack.
func TestCopyKeepsItsArgumentOnTheStack(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds do not inline")
	}
	var a arena.Arena
	a.Reset()
	n := 0
	allocations := testing.AllocsPerRun(100, func() {
		for range 10 {
			if arena.Copy(&a, &pair{}).left != nil {
				n++
			}
			n += len(arena.Copy(&a, &[100]string{3: "x"}))
		}
		a.Reset()
	})
	if allocations != 0 {
		t.Errorf("a phase of copies allocates %v times", allocations)
	}
}

// TestCopyDuringMarking copies values while the collector marks. A copy made then must keep alive
// what was reachable only from the caller's stack.
func TestCopyDuringMarking(t *testing.T) {
	ballast := make([][]*every, 0, 300)
	for range 300 {
		row := make([]*every, 100)
		for i := range row {
			row[i] = newEvery(i)
		}
		ballast = append(ballast, row)
	}
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for round := range rounds {
		var a arena.Arena
		marked := make(chan struct{})
		go func() {
			runtime.GC()
			close(marked)
		}()
		// A program cannot observe when the collector marks, so each round starts copying after a
		// different delay. A round that is too early or too late tests nothing, but it never fails.
		time.Sleep(time.Duration(round%10) * 100 * time.Microsecond)
		copies := make([]*every, 0, 300)
		for n := range 300 {
			copies = append(copies, arena.Copy(&a, newEvery(n)))
		}
		<-marked
		runtime.GC()
		for n, v := range copies {
			if wrong := v.is(n); wrong != "" {
				t.Fatalf("round %d: %s", round, wrong)
			}
		}
	}
	runtime.KeepAlive(ballast)
}

// The arena distinguishes types by their descriptors, even if their layouts are equal and however
// many types there are.
func TestTypesAreToldApart(t *testing.T) {
	var a arena.Arena
	for round := range 3 {
		types := a.Stats().Types
		for _, use := range meets() {
			use(&a)
		}
		if now := a.Stats().Types; round == 0 && now != types+49 || round > 0 && now != types {
			t.Errorf("round %d: %d types, then %d", round, types, now)
		}
	}
}

func TestGrow(t *testing.T) {
	type list []fmt.Stringer
	for name, a := range map[string]*arena.Arena{"an arena": new(arena.Arena), "nil": nil} {
		var s list
		for range 20 {
			s = append(arena.Grow(a, s, 2), time.Second, time.March)
		}
		if len(s) != 40 || s[38] != time.Second || s[39] != time.March {
			t.Errorf("%s: %v", name, s)
		}
		if same := arena.Grow(a, s, cap(s)-len(s)); &same[0] != &s[0] || cap(same) != cap(s) {
			t.Errorf("%s: Grow took memory for what there was room for", name)
		}
		if got := panicOf(func() { arena.Grow(a, s, -1) }); got != "arena.Grow: negative count -1" {
			t.Errorf("%s: Grow by -1 said %q", name, got)
		}
	}
	for n := range 3 {
		if got := panicOf(func() { arena.Grow(new(arena.Arena), make([]int, n), math.MaxInt) }); !strings.HasPrefix(got, "arena.Grow: ") {
			t.Errorf("Grow of %d by too much said %q", n, got)
		}
	}
	if got := panicOf(func() { arena.Grow(new(arena.Arena), make([]struct{}, math.MaxInt-1), 100) }); !strings.HasPrefix(got, "arena.Grow: ") {
		t.Errorf("Grow of the longest slice said %q", got)
	}
}

// With Defer, Reset postpones the clearing of small phases. It clears their values together, after
// Defer phases or when the values total more than 32 KiB.
func TestDefer(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds clear at each Reset")
	}
	type node struct {
		next *node
		n    int
	}
	for _, test := range []struct {
		options arena.Options
		bytes   int // allocated in each phase
		want    string
	}{
		{arena.Options{}, 1, "CCCCCCCCCC"}, {arena.Options{Defer: 1}, 1, "CCCCCCCCCC"}, {arena.Options{Defer: 4}, 1, "...C...C.."}, {arena.Options{Defer: 100}, 1, ".........."},
		{arena.Options{Defer: 100}, 16_000, "..C..C..C."}, {arena.Options{Defer: 100}, 80_000, "CCCCCCCCCC"}, {arena.Options{Defer: 100, Keep: 100}, 16, "CCCCCCCCCC"},
	} {
		a := &arena.Arena{Options: test.options}
		got := ""
		for range 10 {
			var first *node
			for i := range max(1, test.bytes/int(reflect.TypeFor[node]().Size())) {
				v := arena.New[node](a)
				if *v != (node{}) {
					t.Fatalf("%+v: New handed out %v", test.options, *v)
				}
				*v = node{v, i + 1}
				if first == nil {
					first = v
				}
			}
			a.Reset()
			if first.n == 0 { //coppice:ignore stalevalue whether it is cleared is what this looks at
				got += "C"
			} else {
				got += "."
			}
		}
		if got != test.want {
			t.Errorf("%+v, phases of %d bytes: cleared %s, want %s", test.options, test.bytes, got, test.want)
		}
		a.Release()
		if st := a.Stats(); st.Size != 0 || st.Used != 0 {
			t.Errorf("after Release: %+v", st)
		}
	}
	for want, options := range map[string]arena.Options{
		"arena.Arena.Reset: negative Defer -1": {Defer: -1}, "arena.Arena.Reset: negative Keep -1": {Defer: 16, Keep: -1},
	} {
		if got := panicOf((&arena.Arena{Options: options}).Reset); got != want {
			t.Errorf("%+v: %q", options, got)
		}
	}
}

// A Reset that postpones the clearing still invalidates all Marks, and with Defer set, a Rewind
// still takes back only the values allocated after its Mark.
func TestDeferAndMarks(t *testing.T) {
	a := &arena.Arena{Options: arena.Options{Defer: 16}}
	for phase := range 40 {
		early := arena.Copy(a, &pair{})
		early.left = early
		mark := a.Mark()
		late := a.Mark()
		arena.New[pair](a).left = early
		arena.New[*pair](a)
		a.Rewind(late)
		if early.left != early {
			t.Fatalf("phase %d: a Rewind took back an earlier value", phase)
		}
		if v := arena.New[pair](a); v.left != nil {
			t.Fatalf("phase %d: New handed out %v", phase, *v)
		}
		a.Reset()
		if got := panicOf(func() { a.Rewind(mark) }); got == "no panic" {
			t.Fatalf("phase %d: a Mark of the phase before is worth something", phase)
		}
	}
}

// A program contains the allocation code only once; each further type adds only a small function
// that calls the shared code. For 234 types, these functions take less than 15 KB. The compiler
// does not inline them into parse, because parse is too large, as generated functions often are.
// copyTyped is excluded, because it runs only without an arena and for long values.
func TestCodeOfManyTypes(t *testing.T) {
	if testing.Short() || checks.Enabled || compiler.ChecksPointers() {
		t.Skip("it builds a program")
	}
	const types = 234
	var source strings.Builder
	source.WriteString("package main\n\nimport \"github.com/coppice-go/coppice/arena\"\n\n")
	for i := range types {
		fmt.Fprintf(&source, "type t%d struct { a, b *int; c [%d]int; d [%d]int8; s string }\n", i, i%40+1, i/40+1)
	}
	source.WriteString("var a arena.Arena\n\nfunc parse(n int) (v any) {\nswitch n {\n")
	for i := range types {
		fmt.Fprintf(&source, "case %d: p := arena.Copy(&a, &t%d{s: \"x\"}); n += p.c[0] + len(p.s); v = p\n", i, i)
	}
	for i := range 2000 { // make the function too large for inlining
		fmt.Fprintf(&source, "case %d: v = n * %d\n", types+i, i)
	}
	source.WriteString("}\nreturn v\n}\n\nfunc main() { parse(3) }\n")
	text, err := format.Source([]byte(source.String()))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "main.go")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "program")
	if out, err := compiler.Go("build", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := compiler.Go("tool", "nm", "-size", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	bytes, functions := 0, 0
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // address, size, kind and name
		ofType := strings.Contains(line, "coppice-go/coppice/") && strings.Contains(line, "[go.shape.struct")
		if len(f) < 4 || f[2] != "T" && f[2] != "t" || !ofType || strings.Contains(line, "arena.copyTyped") {
			continue
		}
		size, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		bytes += size
		functions++
	}
	t.Logf("%d functions, %d bytes", functions, bytes)
	if functions < types || bytes > 15_000 {
		t.Errorf("%d functions for types have %d bytes, want at least %d and at most 15,000", functions, bytes, types)
	}
}
