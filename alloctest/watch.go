package alloctest

import (
	"runtime"
	"weak"
)

// A watch holds weak pointers to the variables that values point to.
type watch struct{ pointees []weak.Pointer[byte] }

// leastWatched is the minimum size in bytes of variables that a watch tracks. Smaller variables can
// share one allocation on the Go heap, so that a live variable keeps its neighbors alive.
const leastWatched = 16

func (w *watch) add(p *byte) {
	if w != nil {
		w.pointees = append(w.pointees, weak.Make(p))
	}
}

// alive returns the number of variables that the collector has not freed.
func (w *watch) alive() (n int) {
	for _, p := range w.pointees {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

// collect runs the collector until it can free nothing more, and then overwrites the freed memory.
func collect() {
	runtime.GC()
	runtime.GC()
	for i := range churn {
		rubbish[i%len(rubbish)] = make([]byte, 8<<(i%6))
		for j := range rubbish[i%len(rubbish)] {
			rubbish[i%len(rubbish)][j] = 0xA5
		}
	}
	clear(rubbish[:])
}

// churn is the number of small blocks that the function collect allocates. The array rubbish keeps
// the last of them reachable.
const churn = 2000

var rubbish [512][]byte
