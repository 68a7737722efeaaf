package witness

import (
	coppiceRuntime "runtime"
	coppiceStrconv "strconv"
	coppiceStrings "strings"
	coppiceSync "sync"
)

// coppiceWitnessTests are the goroutines of tests and benchmarks, with those that started them and
// wait for them.
var coppiceWitnessTests = struct {
	coppiceSync.Mutex
	starters map[uint64]uint64
}{starters: map[uint64]uint64{}}

// coppiceWitnessStarts are the functions of package testing that start a goroutine and wait
// until it ends or calls Parallel.
var coppiceWitnessStarts = []string{"testing.(*T).Run", "testing.(*B).run1", "testing.(*B).doBench", "testing.(*F).Fuzz"}

// coppiceWitnessGoroutine returns the ID of this goroutine; no other goroutine ever has it. It does
// not allocate, because tests count allocations.
func coppiceWitnessGoroutine() (id uint64) {
	var text [40]byte
	n := coppiceRuntime.Stack(text[:], false)
	for i := len("goroutine "); i < n && '0' <= text[i] && text[i] <= '9'; i++ {
		id = id*10 + uint64(text[i]-'0')
	}
	return id
}

// coppiceWitnessNumberOf reads the ID of a goroutine from its stack.
func coppiceWitnessNumberOf(stack string) (id uint64, ok bool) {
	words := coppiceStrings.Fields(stack)
	if len(words) < 2 || words[0] != "goroutine" {
		return 0, false
	}
	id, err := coppiceStrconv.ParseUint(words[1], 10, 64)
	return id, err == nil
}

func coppiceWitnessNumber(id uint64) string {
	return "goroutine " + coppiceStrconv.FormatUint(id, 10)
}

// coppiceWitnessStacks returns the stack of this goroutine, or those of all goroutines.
func coppiceWitnessStacks(all bool) []string {
	for size := 1 << 14; ; size *= 2 {
		text := make([]byte, size)
		if n := coppiceRuntime.Stack(text, all); n < size {
			return coppiceStrings.Split(coppiceStrings.TrimSpace(string(text[:n])), "\n\n")
		}
	}
}

// coppiceWitnessRegister records which goroutine started the given one, if package testing did so.
// If that starter is not registered itself, it also records the starters of all goroutines.
func coppiceWitnessRegister(id uint64) {
	coppiceWitnessTests.Lock()
	defer coppiceWitnessTests.Unlock()
	if _, known := coppiceWitnessTests.starters[id]; known {
		return
	}
	starter := coppiceWitnessStarter(coppiceWitnessStacks(false)[0])
	coppiceWitnessTests.starters[id] = starter
	if _, known := coppiceWitnessTests.starters[starter]; known || starter == 0 {
		return
	}
	for _, stack := range coppiceWitnessStacks(true) {
		if other, ok := coppiceWitnessNumberOf(stack); ok {
			coppiceWitnessTests.starters[other] = coppiceWitnessStarter(stack)
		}
	}
}

// coppiceWitnessStarter returns the ID of the goroutine that started the one with this stack, if
// package testing started it, or 0.
func coppiceWitnessStarter(stack string) uint64 {
	const created, in = "\ncreated by ", " in goroutine "
	at := coppiceStrings.LastIndex(stack, created)
	if at < 0 {
		return 0
	}
	line := stack[at+len(created):]
	if end := coppiceStrings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	at = coppiceStrings.Index(line, in)
	if at < 0 || !coppiceWitnessIsStart(line[:at]) {
		return 0
	}
	id, _ := coppiceStrconv.ParseUint(line[at+len(in):], 10, 64)
	return id
}

func coppiceWitnessIsStart(function string) bool {
	for _, start := range coppiceWitnessStarts {
		if function == start || coppiceStrings.HasPrefix(function, start+".func") {
			return true
		}
	}
	return false
}

// coppiceWitnessHandedOver reports whether package testing has handed an owner over from one
// goroutine to another: both belong to one tree of tests, and the first waits for the second,
// or its test has ended.
func coppiceWitnessHandedOver(from, to uint64) bool {
	coppiceWitnessTests.Lock()
	defer coppiceWitnessTests.Unlock()
	waits, related := false, false
	for a := to; a != 0; a = coppiceWitnessTests.starters[a] {
		waits = waits || a == from
		for b := from; b != 0; b = coppiceWitnessTests.starters[b] {
			related = related || a == b
		}
	}
	if !related {
		return false
	}
	for _, stack := range coppiceWitnessStacks(true) {
		if id, ok := coppiceWitnessNumberOf(stack); ok && id == from {
			return waits && coppiceWitnessWaits(stack) || coppiceWitnessEnded(stack)
		}
	}
	return true
}

// coppiceWitnessFunctions returns the functions of a stack, the innermost first, without those of
// the runtime.
func coppiceWitnessFunctions(stack string) (all []string) {
	for _, line := range coppiceStrings.Split(stack, "\n")[1:] {
		end := coppiceStrings.LastIndexByte(line, '(')
		if end < 0 || line[0] == '\t' || coppiceStrings.HasPrefix(line, "created by ") || coppiceStrings.HasPrefix(line, "runtime.") {
			continue
		}
		all = append(all, line[:end])
	}
	return all
}

// coppiceWitnessWaits reports whether a goroutine is in a function of package testing that waits
// for a different goroutine.
func coppiceWitnessWaits(stack string) bool {
	functions := coppiceWitnessFunctions(stack)
	return len(functions) > 0 && coppiceWitnessIsStart(functions[0])
}

// coppiceWitnessEnded reports whether a goroutine's test has ended, so that only package
// testing is on its stack.
func coppiceWitnessEnded(stack string) bool {
	for _, function := range coppiceWitnessFunctions(stack) {
		if !coppiceStrings.HasPrefix(function, "testing.") {
			return false
		}
	}
	return true
}
