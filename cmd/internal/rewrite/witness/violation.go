package witness

import (
	coppiceOS "os"
	coppicePath "path/filepath"
	coppiceRuntime "runtime"
	coppiceStrconv "strconv"
	coppiceStrings "strings"
	coppiceAtomic "sync/atomic"
)

// coppiceWitnessFile is the file that records violations. It is read here because tests may
// change the environment later.
var coppiceWitnessFile = coppiceOS.Getenv("COPPICE_WITNESS")

// coppiceWitnessRecorded is the number of violations that this process has recorded, and
// coppiceWitnessMost is its limit: a loop that recovers can cause many.
var coppiceWitnessRecorded int32

const coppiceWitnessMost = 10

// coppiceWitnessPlace is a position in the program: the innermost calls.
type coppiceWitnessPlace [12]uintptr

// coppiceWitnessHere returns the position at which the program uses an owner.
func coppiceWitnessHere() (place coppiceWitnessPlace) {
	coppiceRuntime.Callers(2, place[:])
	return place
}

// lines returns the calls of a position, the innermost first, without those of the witness itself.
func (p coppiceWitnessPlace) lines() (all []string) {
	n := 0
	for n < len(p) && p[n] != 0 {
		n++
	}
	if n == 0 {
		return []string{"an unknown place"}
	}
	for frames := coppiceRuntime.CallersFrames(p[:n]); ; {
		f, more := frames.Next()
		own := coppiceStrings.Contains(f.Function, "oppiceWitness") || coppiceStrings.Contains(f.Function, ".(*chunks[...]).") || coppiceStrings.Contains(f.Function, ".(*coppiceChunks[...]).")
		if !own || len(all) > 0 {
			function := f.Function[coppiceStrings.LastIndexByte(f.Function, '/')+1:]
			all = append(all, coppicePath.Base(f.File)+":"+coppiceStrconv.Itoa(f.Line)+" ("+function+")")
		}
		if !more {
			break
		}
	}
	if len(all) == 0 {
		return []string{"an unknown place"}
	}
	return all
}

// violation reports what happened to the owner in one line, with the position of the previous use
// of the owner and that of the current one.
func (w *coppiceWitness) violation(what string, before coppiceWitnessPlace) {
	owner, _ := w.owner.Load().(string)
	if owner == "" {
		owner = "an owner"
	}
	coppiceWitnessViolation(owner+" "+what, before)
}

// coppiceWitnessViolation records a violation, and panics.
func coppiceWitnessViolation(what string, before coppiceWitnessPlace) {
	line := "coppice witness: " + what
	if before[0] != 0 {
		line += ", before at " + before.lines()[0]
	}
	line += ", now at " + coppiceWitnessHere().lines()[0]
	coppiceWitnessRecord(line, before)
	panic(line)
}

// coppiceWitnessRecord adds a violation to the file: the line, and the stacks, indented.
func coppiceWitnessRecord(line string, before coppiceWitnessPlace) {
	if coppiceWitnessFile == "" || coppiceAtomic.AddInt32(&coppiceWitnessRecorded, 1) > coppiceWitnessMost {
		return
	}
	text := line + "\n"
	if before[0] != 0 {
		text += "\tbefore:\n\t\t" + coppiceStrings.Join(before.lines(), "\n\t\t") + "\n"
	}
	text += "\tnow:\n\t\t" + coppiceStrings.Replace(coppiceWitnessStacks(false)[0], "\n", "\n\t\t", -1) + "\n"
	f, err := coppiceOS.OpenFile(coppiceWitnessFile, coppiceOS.O_APPEND|coppiceOS.O_CREATE|coppiceOS.O_WRONLY, 0666)
	if err != nil {
		return // the panic says it
	}
	defer f.Close()
	_, _ = f.WriteString(text)
}
