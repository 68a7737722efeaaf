package profiles

import "strings"

// A work is a kind of memory work of the runtime, or other. The runtime functions on a stack
// determine its kind.
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

// workOf returns the kind of work that a runtime function does, or other. The work of a stack is
// the first kind, starting at the leaf, that differs from other. The function names are from Go
// 1.26 and 1.27; a test looks them up in the source of the runtime.
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
	// Closures belong to their function: gcAssistAlloc.func2 to gcAssistAlloc.
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

// prefixes contains the common prefixes of functions with similar names, such as
// mallocgcSmallScanNoHeaderSC7, gcWriteBarrier2 and growsliceBufNoAlias.
var prefixes = []struct {
	prefix string
	work   work
}{
	{"mallocgc", malloc}, {"growslice", malloc}, {"makeslice", malloc}, {"moveSlice", malloc}, {"convT", malloc},
	{"concatstring", malloc}, {"concatbyte", malloc}, {"makechan", malloc},
	{"gcAssistAlloc", assist},
	{"gcWriteBarrier", barrier}, {"wbBufFlush", barrier}, {"bulkBarrier", barrier},
}

// works maps the full names of runtime functions to the work that they do.
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
