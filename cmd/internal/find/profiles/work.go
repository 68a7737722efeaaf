package profiles

import "strings"

// A work is a kind of work that a processor does while a function of the runtime is on its stack.
type work int

const (
	other work = iota
	malloc
	assist
	mark
	sweep
	barrier
	idle  // marking on a processor that had nothing else to do
	start // start of a collection, by the goroutine whose allocation triggered it
)

// workOf returns the work of a function of the runtime, or the constant other. The work of a stack
// is the first work, starting at the leaf, that is not the constant other. The names are from Go
// 1.26 and 1.27, and a test looks them up in the runtime's source.
func workOf(path, function string) work {
	switch path {
	case "": // A function in assembly may belong to no package.
		if function == "gcWriteBarrier" {
			return barrier
		}
		return other
	case "runtime":
	default:
		return other
	}
	// gcAssistAlloc.func2 is a part of gcAssistAlloc.
	if !strings.HasPrefix(function, "(") {
		function, _, _ = strings.Cut(function, ".")
	}
	if w, ok := works[function]; ok {
		return w
	}
	for _, p := range prefixes {
		if strings.HasPrefix(function, p.prefix) {
			return p.work
		}
	}
	return other
}

// prefixes match families of functions: mallocgcSmallScanNoHeaderSC7, gcWriteBarrier2,
// growsliceBufNoAlias.
var prefixes = []struct {
	prefix string
	work   work
}{
	{"mallocgc", malloc}, {"growslice", malloc}, {"makeslice", malloc}, {"moveSlice", malloc}, {"convT", malloc},
	{"concatstring", malloc}, {"concatbyte", malloc}, {"makechan", malloc},
	{"gcAssistAlloc", assist},
	{"gcWriteBarrier", barrier}, {"wbBufFlush", barrier}, {"bulkBarrier", barrier},
}

// works contains the work of functions by their full names.
var works = map[string]work{
	"newobject": malloc, "newarray": malloc, "freegc": malloc,
	"rawstring": malloc, "rawstringtmp": malloc, "rawbyteslice": malloc, "rawruneslice": malloc,
	"slicebytetostring": malloc, "slicerunetostring": malloc, "stringtoslicebyte": malloc, "stringtoslicerune": malloc,
	"intstring": malloc,

	"gcBgMarkWorker": mark, "gcDrainMarkWorkerDedicated": mark, "gcDrainMarkWorkerFractional": mark,
	"gcDrainMarkWorkerIdle": idle,
	"gcStart":               start,

	"bgsweep": sweep, "sweepone": sweep, "(*sweepLocked).sweep": sweep, "(*mspan).sweep": sweep,
	"deductSweepCredit": sweep, "(*mheap).reclaim": sweep, "gcSweep": sweep, "finishsweep_m": sweep,
}
