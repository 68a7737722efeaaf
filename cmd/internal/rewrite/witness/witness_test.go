package witness

import (
	"flag"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// said is what f panics with.
func said(f func()) (line string) {
	defer func() { line, _ = recover().(string) }()
	f()
	return ""
}

// use is one use of an owner.
func use(w *coppiceWitness) {
	w.is("parser")
	w.enter()
	w.leave()
}

// wants compares what was said with a pattern for all of it.
func wants(t *testing.T, got, pattern string) {
	t.Helper()
	if ok, err := regexp.MatchString("^"+pattern+"$", got); err != nil || !ok {
		t.Errorf("it says %q, want %s (%v)", got, pattern, err)
	}
}

const place = `witness_test\.go:\d+ \(witness\.\S+\)`

func TestCopy(t *testing.T) {
	var w coppiceWitness
	use(&w)
	copied := new(coppiceWitness)
	copyOf(copied, &w)
	wants(t, said(func() { use(copied) }), "coppice witness: parser is a copy of another one that was used before, before at "+place+", now at "+place)
	use(&w)
	fresh := new(coppiceWitness)
	copyOf(fresh, new(coppiceWitness)) // it was not used before
	use(fresh)
}

// copyOf copies a witness as the copy of its owner does.
func copyOf(to, from *coppiceWitness) {
	to.self, to.goroutine, to.first, to.last, to.uses = from.self, from.goroutine, from.first, from.last, from.uses
}

func TestNil(t *testing.T) {
	type parser struct{ nodes int }
	wants(t, said(func() { coppiceWitnessOwner[parser](nil, "parser").nodes++ }), "coppice witness: the owner of type parser is nil, now at "+place)
	if p := new(parser); coppiceWitnessOwner(p, "parser") != p {
		t.Error("it is another owner")
	}
}

func TestInTheMiddle(t *testing.T) {
	var w coppiceWitness
	w.is("parser")
	w.enter()
	wants(t, said(func() { use(&w) }), "coppice witness: parser is used during another use, before at "+place+", now at "+place)
	w.leave()
	use(&w)
}

// Each goroutine of the program is another one, also after the first has ended, and however often
// the owner was used.
func TestGoroutines(t *testing.T) {
	for _, uses := range []int{1, coppiceWitnessSure, 1000} {
		var w coppiceWitness
		for range uses {
			use(&w)
		}
		deep(100, func() { use(&w) })
		var line string
		var all sync.WaitGroup
		all.Go(func() { line = said(func() { use(&w) }) })
		all.Wait()
		wants(t, line, `coppice witness: parser is used by a second goroutine \(goroutine \d+ before\), before at `+place+", now at "+place)
		all.Go(func() { use(new(coppiceWitness)) })
		all.Wait()
		use(&w)
	}
}

func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

// What a test hands to its subtests has one user at a time.
func TestHandedOver(t *testing.T) {
	var w coppiceWitness
	use(&w)
	t.Run("a", func(t *testing.T) {
		use(&w)
		t.Run("b", func(t *testing.T) {
			t.Run("c", func(*testing.T) { use(&w) })
		})
		use(&w)
	})
	t.Run("d", func(*testing.T) { use(&w) })
	use(&w)
	benchmark(t, func(b *testing.B) {
		use(&w)
		b.Run("f", func(b *testing.B) {
			b.Run("g", func(*testing.B) { use(&w) })
			use(&w)
		})
		use(&w)
	})
	use(&w)
	t.Run("e", func(*testing.T) {
		done := make(chan string)
		go func() { done <- said(func() { use(&w) }) }()
		wants(t, <-done, "coppice witness: parser is used by a second goroutine.*")
	})
}

// benchmark runs a benchmark once or twice, in goroutines of its own.
func benchmark(t *testing.T, f func(*testing.B)) {
	const name = "test.benchtime"
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, "1x"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set(name, old) }()
	if r := testing.Benchmark(f); r.N == 0 && r.T != 0 {
		t.Error("the benchmark failed")
	}
}

// A subtest that is not over while its parent goes on is no subtest that was waited for.
func TestParallel(t *testing.T) {
	var w coppiceWitness
	t.Run("group", func(t *testing.T) {
		t.Run("parallel", func(t *testing.T) {
			use(&w)
			t.Parallel()
		})
		wants(t, said(func() { use(&w) }), "coppice witness: parser is used by a second goroutine.*")
	})
	use(&w)
}

// Two iterations over one owner take turns.
func TestTurns(t *testing.T) {
	var w coppiceWitness
	var stack []int
	var lines []string
	walk := func() iter.Seq[int] {
		return func(yield func(int) bool) {
			line := said(func() {
				number := w.push("parser", stack)
				for i := range 3 {
					w.check(number, stack)
					stack = append(stack, i)
					w.grew(number, stack)
					if !yield(i) {
						break
					}
				}
				w.pop(number, stack)
			})
			lines = append(lines, line)
		}
	}
	first, stopFirst := iter.Pull(walk())
	second, stopSecond := iter.Pull(walk())
	first()
	second()
	stopFirst()
	stopSecond()
	wants(t, strings.Join(lines, "|"), `coppice witness: parser is used by a second goroutine.*`+place+`\|`)
}

func TestActivations(t *testing.T) {
	type element struct {
		name string
		n    byte
	}
	var w coppiceWitness
	var stack []element
	add := func(number uint, name string) {
		w.check(number, stack)
		stack = append(stack, element{name, 1})
		w.grew(number, stack)
	}
	end := func(number uint, mark int) {
		w.pop(number, stack)
		stack = stack[:mark]
	}
	outer := w.push("parser", stack)
	add(outer, "a")
	inner := w.push("parser", stack)
	add(inner, "b")
	add(inner, "c")
	end(inner, 1)
	add(outer, "d")

	// A call that panicked leaves what it has on the stack.
	lost := w.push("parser", stack)
	add(lost, "e")
	w.check(outer, stack)
	stack = append(stack[:2], element{"f", 1})
	w.grew(outer, stack)

	wants(t, said(func() { add(lost, "g") }), "coppice witness: parser has scratch space that another call has ended: two calls took turns, before at "+place+", now at "+place)
	stack = stack[:2]
	wants(t, said(func() { add(outer, "h") }), "coppice witness: parser has scratch space whose top moved under the call that uses it.*")
	stack = stack[:3]
	stack[1].name = "other"
	wants(t, said(func() { end(outer, 0) }), "coppice witness: parser has scratch space in which another call changed what this one collected.*")
	stack[1].name = "d"
	end(outer, 0)

	whole := w.push("parser", nil) // takes the space as a whole
	w.check(whole, nil)
	w.pop(whole, nil)
	wants(t, said(func() { w.pop(whole, nil) }), "coppice witness: parser has scratch space that another call has ended.*")
}

// A part of an array begins and ends where it must.
func TestPart(t *testing.T) {
	type list []int
	array := make(list, 5)
	for _, good := range []func(){
		func() { coppiceWitnessPart(array[0:2:2], array, 0, 2) },
		func() { coppiceWitnessPart(array[2:2:4], array, 2, 4) },
		func() { coppiceWitnessPart(array[4:], array, 4, 5) },
		func() { coppiceWitnessPart(array[5:], array, 5, 5) },
	} {
		wants(t, said(good), "")
	}
	for _, bad := range []func(){
		func() { coppiceWitnessPart(array[0:2], array, 0, 2) },
		func() { coppiceWitnessPart(array[1:3:3], array, 0, 2) },
		func() { coppiceWitnessPart(make(list, 2), array, 0, 2) },
		func() { coppiceWitnessPart(array[4:], array, 4, 6) },
	} {
		wants(t, said(bad), "coppice witness: a slice that shares an array with others is not the part of it that it must be, now at "+place)
	}
}

func TestPoison(t *testing.T) {
	type node struct {
		Name string
		next *node
		kind int8
		f    float32
		_    [2]uint16
		ok   bool
		any  any
		list []int
	}
	list := []node{{}, {Name: "kept"}, {next: &node{}}}
	coppiceWitnessPoison(list[2:])
	if list[0].ok || list[1].Name != "kept" {
		t.Error("it poisons what was not handed in")
	}
	n := list[2]
	if n.Name != coppiceWitnessString || n.kind == 0 || n.f == 0 || !n.ok || n.any != nil || n.list != nil {
		t.Errorf("it is %+v", n)
	}
	if n.next == nil || n.next.Name != coppiceWitnessString || n.next.next != nil {
		t.Errorf("the pointer leads to %+v", n.next)
	}
	numbers := make([]int, 1, 3)
	coppiceWitnessPoison(numbers[len(numbers):cap(numbers)])
	if all := numbers[:3]; all[0] != 0 || all[1] == 0 || all[2] != all[1] {
		t.Errorf("it is %v", all)
	}
	coppiceWitnessPoison([]int(nil))
}

// A slab of the library is watched as that of a file is.
func TestSlab(t *testing.T) {
	var nodes coppiceWitnessSlab[[2]int]
	uses := map[string]func(){
		"New":     func() { nodes.in("parser").New() },
		"Alloc":   func() { nodes.in("parser").Alloc([2]int{1, 2}) },
		"Make":    func() { nodes.in("parser").Make(3) },
		"SliceOf": func() { nodes.in("parser").SliceOf([2]int{1, 2}) },
	}
	for range 3 {
		for name, use := range uses {
			use()
			done := make(chan string)
			go func() { done <- said(use) }()
			if line := <-done; !strings.HasPrefix(line, "coppice witness: parser is used by a second goroutine") {
				t.Errorf("%s in another goroutine says %q", name, line)
			}
		}
	}
}

// Tests of the user count allocations: the use of an owner of a slab makes none.
func TestAllocations(t *testing.T) {
	var w coppiceWitness
	use(&w)
	if n := testing.AllocsPerRun(100, func() { use(&w) }); n != 0 {
		t.Errorf("a use allocates %v times", n)
	}
}

// What is recovered is recorded, with both stacks.
func TestRecord(t *testing.T) {
	old := coppiceWitnessFile
	coppiceWitnessFile = filepath.Join(t.TempDir(), "record")
	defer func() { coppiceWitnessFile = old }()
	coppiceWitnessRecorded = 0
	var w coppiceWitness
	use(&w)
	copied := new(coppiceWitness)
	copyOf(copied, &w)
	for range 2 * coppiceWitnessMost {
		said(func() { use(copied) })
	}
	text, err := os.ReadFile(coppiceWitnessFile)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count("\n"+string(text), "\ncoppice witness: parser is a copy"); n != coppiceWitnessMost {
		t.Errorf("%d are recorded", n)
	}
	first, _, _ := strings.Cut(string(text[1:]), "\ncoppice witness: ")
	for _, part := range []string{"\n\tbefore:\n\t\twitness_test.go:", "\n\tnow:\n\t\tgoroutine ", "witness.TestRecord"} {
		if !strings.Contains(first, part) {
			t.Errorf("%q is not in\n%s", part, first)
		}
	}
}
