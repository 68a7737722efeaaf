package store_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/store"
)

type node struct{ left, right store.Ref[node] }

// open returns a store that is closed at the end of the test.
func open[T any](t testing.TB, o store.Options) *store.Store[T] {
	t.Helper()
	if o.Max == 0 {
		o.Max = 1 << 20 // small enough for platforms where a store is Go memory
	}
	s, err := store.New[T](o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func panicOf(f func()) (message string) {
	defer func() {
		switch r := recover().(type) {
		case string:
			message = r
		case error:
			message = r.Error()
		}
	}()
	f()
	return "no panic"
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panicOf(f); !strings.Contains(got, want) {
		t.Errorf("panic %q, want %q", got, want)
	}
}

func TestRecordsWithPointersAreRefused(t *testing.T) {
	type inner struct{ Names [2]struct{ Name string } }
	for _, c := range []struct {
		err  error
		want string
	}{
		{newErr[string](), `string is a string, a pointer that the collector would not see; use a store.Text`},
		{refusal[*int](), "*int is a *int, a pointer that the collector would not see; use a store.Ref"},
		{refusal[struct{ next *node }](), "{ next *store_test.node }.next is a *store_test.node"},
		{refusal[struct {
			N  int
			In inner
		}](), ".In.Names[0].Name is a string"},
		{refusal[[3][]byte](), "[3][]uint8[0] is a []uint8, a pointer that the collector would not see; use an array, or a store.Ref and a count"},
		{refusal[struct{ m map[int]int }](), ".m is a map[int]int, a pointer that the collector would not see; keep such values in a slice of your own and their index"},
		{refusal[struct{ v any }](), ".v is a interface {}"},
		{refusal[struct{ f func() }](), ".f is a func()"},
		{refusal[struct{ c chan int }](), ".c is a chan int"},
		{refusal[struct{}](), "struct {} has no size, so there is nothing to store"},
		{refusal[[0]*int](), "has no size"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), "store.New: ") || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("New gave %q, want %q", c.err, c.want)
		}
	}
	type plain struct {
		A    [3]float64
		B    struct{ C complex128 }
		D    uintptr
		E    store.Ref[plain]
		F    store.Text
		G    store.Handle[plain]
		None [0]*int
		H    bool
	}
	if err := newErr[plain](); err != nil {
		t.Errorf("a type without pointers is refused: %v", err)
	}
}

// refusal returns the error of New if T has pointers or has size zero. It does not instantiate
// Store[T].
func refusal[T any]() error { return store.CheckRecord("store.New", reflect.TypeFor[T]()) }

func newErr[T any]() error {
	s, err := store.New[T](store.Options{Max: 10})
	if err == nil {
		err = s.Close()
	}
	return err
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]store.Options{
		"store.New: negative Max -1; use 0 for":          {Max: -1},
		"store.New: invalid HugePages 3: must be":        {HugePages: 3},
		"store.New: invalid HugePages -1: must be":       {HugePages: -1},
		"exceed the address space; set a smaller Option": {Max: math.MaxInt32},
	} {
		if strings.Contains(want, "address space") && math.MaxInt != math.MaxInt32 {
			continue
		}
		if _, err := store.New[[8]byte](o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New with %+v gave %v, want %q", o, err, want)
		}
	}
	if math.MaxInt > math.MaxInt32 {
		records := uint64(store.MaxRecords)
		tooMany := int(records + 1)
		if _, err := store.New[node](store.Options{Max: tooMany}); err == nil || !strings.Contains(err.Error(), "exceeds the 4294967294 records that refs of 32 bits") {
			t.Errorf("Max %d gave %v", tooMany, err)
		}
		if _, err := store.New[[1 << 20]byte](store.Options{Max: int(records)}); err == nil {
			t.Error("4 PiB of records were accepted")
		}
	}
}

func TestPutAndAt(t *testing.T) {
	s := open[int64](t, store.Options{})
	if s.Len() != 0 || len(s.Slice()) != 1 {
		t.Errorf("an empty store has Len %d and a Slice of %d", s.Len(), len(s.Slice()))
	}
	var refs []store.Ref[int64]
	for i := range int64(10_000) {
		refs = append(refs, s.Alloc(i*i))
	}
	for i, r := range refs {
		if r == 0 || *s.At(r) != int64(i*i) || s.Slice()[r] != int64(i*i) {
			t.Fatalf("record %d is %d", i, *s.At(r))
		}
	}
	if s.Len() != 10_000 || len(s.Slice()) != 10_001 || s.Cap() < 10_000 || s.Max() != 1<<20 {
		t.Errorf("Len %d, Slice of %d, Cap %d, Max %d", s.Len(), len(s.Slice()), s.Cap(), s.Max())
	}
}

func TestRefPrints(t *testing.T) {
	if got := fmt.Sprint(store.Ref[node](7), store.Ref[node](0), store.Handle[node](0x2a), store.Handle[node](0)); got != "#7 nil h2a nil" {
		t.Errorf("refs and handles print as %s", got)
	}
}

func TestRecordsNeverMove(t *testing.T) {
	s := open[[100]byte](t, store.Options{Max: 200_000})
	_, first := s.New()
	first[0] = 42
	for range 150_000 {
		s.New()
	}
	if first != s.At(1) || first[0] != 42 {
		t.Error("the first record moved")
	}
}

func TestWhatWasUsedIsZeroWhenItComesAgain(t *testing.T) {
	s := open[node](t, store.Options{})
	for phase := range 4 {
		for range 3000 * (phase + 1) {
			r, n := s.New()
			if *n != (node{}) {
				t.Fatalf("phase %d: New gave %v at %v", phase, *n, r)
			}
			n.left, n.right = r, r
		}
		first, made := s.Make(5000)
		for i := range made {
			if made[i] != (node{}) {
				t.Fatalf("phase %d: Make gave %v at %v", phase, made[i], first+store.Ref[node](i))
			}
			made[i].left = first
		}
		s.Delete(first + 7)
		if _, n := s.New(); *n != (node{}) {
			t.Fatalf("phase %d: a slot is not zero after Delete", phase)
		}
		s.Reset()
	}
}

func TestMakeGivesRecordsInARow(t *testing.T) {
	s := open[int64](t, store.Options{})
	s.Alloc(-1)
	for _, n := range []int{1, 2, 100, 5000, 3, 100_000} {
		first, made := s.Make(n)
		if len(made) != n || cap(made) != n {
			t.Fatalf("Make(%d) has len %d, cap %d", n, len(made), cap(made))
		}
		for i := range made {
			made[i] = int64(n)
			if s.At(first+store.Ref[int64](i)) != &made[i] {
				t.Fatalf("record %d of Make(%d) is not at %v", i, n, first+store.Ref[int64](i))
			}
		}
	}
	if r, made := s.Make(0); r != 0 || made != nil {
		t.Errorf("Make(0) = %v, %v", r, made)
	}
	wantPanic(t, "store.Store.Make: negative count -3", func() { s.Make(-3) })
	wantPanic(t, "store.Store.Make: no room for 1048576 records: the store is full", func() { s.Make(1 << 20) })
	if s.Len() != 1+1+2+100+5000+3+100_000 {
		t.Errorf("Len = %d", s.Len())
	}
}

func TestDelFreesTheSlot(t *testing.T) {
	s := open[int64](t, store.Options{Max: 3000})
	for i := range int64(3000) {
		s.Alloc(i)
	}
	if _, err := s.TryAlloc(1); !errors.Is(err, store.ErrFull) {
		t.Errorf("TryAlloc into a full store gave %v", err)
	}
	s.Delete(17)
	if s.Len() != 2999 || s.Slice()[17] != 0 {
		t.Errorf("after Delete Len is %d and the slot holds %d", s.Len(), s.Slice()[17])
	}
	wantPanic(t, "store.Store.Delete: #17 was deleted", func() { s.Delete(17) })
	if r, err := s.TryAlloc(5); r != 17 || err != nil {
		t.Errorf("TryAlloc gave %v, %v, want the free slot #17", r, err)
	}
	// After its records were deleted in any order, a store has room for as many again.
	for i := range 3000 {
		s.Delete(store.Ref[int64](i*7%3000 + 1))
	}
	if s.Len() != 0 {
		t.Errorf("Len = %d after deleting all", s.Len())
	}
	seen := map[store.Ref[int64]]bool{}
	for i := range int64(3000) {
		r := s.Alloc(i)
		if seen[r] {
			t.Fatalf("%v was handed out twice", r)
		}
		seen[r] = true
	}
	wantPanic(t, "store.Store.Alloc: the store is full: it holds 3000 records, and the maximum is 3000", func() { s.Alloc(1) })
}

func TestAllYieldsTheLive(t *testing.T) {
	s := open[int64](t, store.Options{})
	for i := range int64(10) {
		s.Alloc(i + 1)
	}
	s.Delete(3)
	s.Delete(4)
	s.Delete(9)
	s.Alloc(30) // in the hole of 9, or after 10
	var got []string
	for r, v := range s.All() {
		got = append(got, fmt.Sprint(r, "=", *v))
		if *v == 6 {
			s.Delete(7)
		}
	}
	if want := "[#1=1 #2=2 #5=5 #6=6 #8=8 #10=10 #11=30]"; fmt.Sprint(got) != want {
		t.Errorf("All yields %v, want %s", got, want)
	}
	for r := range s.All() {
		if r == 2 {
			break
		}
	}
}

func TestMisusePanics(t *testing.T) {
	s := open[node](t, store.Options{})
	s.Alloc(node{})
	wantPanic(t, "store.Store.At: #0 is nil", func() { s.At(0) })
	wantPanic(t, "store.Store.At: #1048577 was never handed out; the last record is #1", func() { s.At(1<<20 + 1) })
	wantPanic(t, "store.Store.At: #4294967295 was never handed out", func() { s.At(math.MaxUint32) })
	wantPanic(t, "store.Store.Delete: #0 is nil", func() { s.Delete(0) })
	wantPanic(t, "store.Store.Delete: #2 was dropped by Reset or Trim, or never handed out", func() { s.Delete(2) })
	s.Reset()
	wantPanic(t, "store.Store.At: #1 was dropped by Reset", func() { s.At(1) })
	wantPanic(t, "store.Store.Delete: #1 was dropped by Reset", func() { s.Delete(1) })
	wantPanic(t, "this store was not made by store.New", func() { new(store.Store[node]).Alloc(node{}) })
	wantPanic(t, "this store was not made by store.New", func() { new(store.Store[node]).Make(1) })
}

func TestClosedStore(t *testing.T) {
	s := open[node](t, store.Options{})
	text := s.AllocText("gone")
	s.Alloc(node{})
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"Alloc":     func() { s.Alloc(node{}) },
		"New":       func() { s.New() },
		"Make":      func() { s.Make(1) },
		"At":        func() { s.At(1) },
		"Delete":    func() { s.Delete(1) },
		"Reset":     s.Reset,
		"Writer":    func() { s.Writer() },
		"AllocText": func() { s.AllocText("x") },
	} {
		if got := panicOf(f); !strings.Contains(got, "store is closed") {
			t.Errorf("%s on a closed store: %q", name, got)
		} else if checks.Enabled && !strings.Contains(got, "store_test.go:") {
			t.Errorf("%s does not name the place of Close: %q", name, got)
		}
	}
	wantPanic(t, "store.Store.Slice: the store is closed", func() { s.Slice() })
	wantPanic(t, "has no text", func() { s.Text(text) })
	if _, err := s.TryAlloc(node{}); err == nil || errors.Is(err, store.ErrFull) {
		t.Errorf("TryAlloc on a closed store gave %v", err)
	}
	if err := s.Trim(); err == nil {
		t.Error("Trim of a closed store succeeded")
	}
	if _, err := s.Clone(); err == nil {
		t.Error("Clone of a closed store succeeded")
	}
	if s.Len() != 0 {
		t.Errorf("a closed store has Len %d", s.Len())
	}
	for range s.All() {
		t.Error("a closed store yields a record")
	}
}

func TestClone(t *testing.T) {
	s := open[int64](t, store.Options{Name: "original"})
	for i := range int64(5000) {
		s.Alloc(i)
	}
	s.Delete(100)
	name := s.AllocText("a text")
	clone, err := s.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	*s.At(7) = -1
	s.Reset()
	s.AllocText("other!")
	if clone.Len() != 4999 || *clone.At(7) != 6 || clone.Text(name) != "a text" {
		t.Errorf("the clone has Len %d, record 7 %d, text %q", clone.Len(), *clone.At(7), clone.Text(name))
	}
	if r := clone.Alloc(1); r != 100 && r != 5001 {
		t.Errorf("the clone puts at %v", r)
	}
	if clone.Max() != s.Max() {
		t.Errorf("the clone has Max %d, the original %d", clone.Max(), s.Max())
	}
}

func TestCopyFrom(t *testing.T) {
	s, into := open[int64](t, store.Options{}), open[int64](t, store.Options{Max: 2})
	for i := range int64(3) {
		s.Alloc(i)
	}
	text := s.AllocText("a text")
	into.Alloc(7)
	if err := into.CopyFrom(s); !errors.Is(err, store.ErrFull) || into.Len() != 1 || *into.At(1) != 7 {
		t.Errorf("a copy of 3 records into a store of 2 gave %v and left %d records", err, into.Len())
	}
	s.Delete(3)
	if err := s.Trim(); err != nil { // otherwise the deleted slot would need room
		t.Fatal(err)
	}
	before := into.AllocText("another text, longer")
	if err := into.CopyFrom(s); err != nil || into.Len() != 2 || *into.At(2) != 1 || into.Text(text) != "a text" {
		t.Errorf("CopyFrom gave %v and %d records", err, into.Len())
	}
	wantPanic(t, "store.Store.TextBytes", func() { into.TextBytes(before) })
	if err := s.CopyFrom(s); err != nil || s.Len() != 2 {
		t.Errorf("a copy of itself gave %v and %d records", err, s.Len())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := into.CopyFrom(s); err == nil || into.Len() != 2 {
		t.Errorf("a copy of a closed store gave %v and %d records", err, into.Len())
	}
	if err := s.CopyFrom(into); err == nil {
		t.Error("a copy into a closed store succeeded")
	}
}

// The unused rest of a window contains no records, so it must not take room in a copy.
func TestCopyFromNeedsRoomForRecordsOnly(t *testing.T) {
	s, into := open[int64](t, store.Options{}), open[int64](t, store.Options{Max: 3})
	for i := range int64(3) {
		s.Alloc(i)
	}
	if err := into.CopyFrom(s); err != nil || into.Len() != 3 || *into.At(3) != 2 {
		t.Errorf("a copy of 3 records into a store of 3 gave %v and %d records", err, into.Len())
	}
	if r, err := into.TryAlloc(7); err == nil {
		t.Errorf("a full store took %v", r)
	}
}

func TestText(t *testing.T) {
	s := open[struct{ name store.Text }](t, store.Options{})
	texts := make([]store.Text, 0, 2000)
	for i := range 2000 {
		texts = append(texts, s.AllocText(strings.Repeat("x", i%40)+fmt.Sprint(i)))
	}
	for i, x := range texts {
		if want := strings.Repeat("x", i%40) + fmt.Sprint(i); s.Text(x) != want || string(s.TextBytes(x)) != want || x.Len() != len(want) {
			t.Fatalf("text %d is %q", i, s.Text(x))
		}
	}
	if s.Text(store.Text{}) != "" || s.AllocText("") != (store.Text{}) {
		t.Error("the zero Text is not the empty string")
	}
	if b := s.TextBytes(texts[0]); cap(b) != len(b) {
		t.Error("an append to a text would write into the next")
	}
	s.Reset()
	wantPanic(t, "store.Store.TextBytes: the store has no text at", func() { s.TextBytes(texts[5]) })
}
